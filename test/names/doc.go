// Package names keeps tables true that name tests: which test shows that an attack
// fails, and which one that a key of a file has its effect. A test that is renamed or
// taken away without its row fails here.
package names
