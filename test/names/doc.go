// Package names checks the tables that name tests: docs/attacks.md, docs/security.md, rows.md in
// this directory, and the keys of the file formats. Its tests fail if a test is renamed or removed
// while a table still names it.
package names
