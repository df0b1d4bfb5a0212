// Package standard assembles a complete Registry: the WASM runtime with its cache of compiled
// modules, the built-in tools, and tools from directories. Most embedders, and the command line,
// need only this package, package registry and package tool.
package standard
