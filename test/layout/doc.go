// Package layout holds the tests of the repository's shape: which package may import which,
// what programs link that embed the registry, that no type of the engine is exported, how large
// files, functions, packages and types may be, and that each directory has one package comment.
package layout
