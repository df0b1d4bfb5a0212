// Package layout tests the structure of the repository: which package may import which, which
// modules are linked by a program that embeds the registry, that no type of the engine is exported,
// how large files, functions, packages and types may be, and that each directory has one package
// comment.
package layout
