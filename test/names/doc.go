// Package names checks the tables that name tests: docs/attacks.md, docs/security.md and the keys
// of the file formats. Renaming or removing a test without its row in a table fails here.
package names
