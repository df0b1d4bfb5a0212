// Package layout tests the structure of the repository: the imports between packages, the modules
// that a program that embeds the registry links, the size of files, functions, packages and types,
// and the package comment of each directory. It also tests that no type of the engine is exported.
package layout
