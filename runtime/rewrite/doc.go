// Package rewrite reads core WASM binaries and rewrites them so that a host can
// bound what they cost. It has no engine in it: bytes go in, bytes come out, and
// the same input and options always give the same output.
//
// The reader treats its input as hostile. Every count and length is checked
// against the bytes that are there before anything is allocated, and whatever it
// does not know it refuses with the byte offset.
//
// The writer does not validate types: the engine that compiles the output does.
// It does check every index, so that code in the input can never name something
// that only the rewriting added.
package rewrite
