// Package seeds tests that the examples of five documents about other tool systems run here, under
// the names that docs/names.md gives for theirs. The names of the subtests are the headings of the
// documents.
package seeds
