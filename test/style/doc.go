// Package style checks the wording rules of CONTRIBUTING.md: phrases to avoid, the width of
// comments, identifiers that shadow builtins, and names of tests. It contains only tests.
package style
