// Package standard assembles a Registry with everything: the WASM runtime with its
// compile cache, the built-in tools, and tools from folders. Most embedders, and
// the command line, need only this package, registry and registry/tool.
package standard
