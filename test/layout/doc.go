// Package layout holds the tests of the repository's shape: which package may
// import which, that no type of the engine is exported, and that each directory
// has one package comment.
package layout
