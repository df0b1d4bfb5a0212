// Package registry is the front door: a catalogue of tools, and Execute, the one
// way to call them. It checks the arguments, computes what the tool may reach,
// asks where somebody must be asked, bounds the time, runs the tool through its
// Executor and checks what comes back.
//
// It knows no kind of tool: package standard assembles a Registry with the
// executors, the built-in tools and tools from folders. A Registry is a value; two
// may live in one process and share nothing.
package registry
