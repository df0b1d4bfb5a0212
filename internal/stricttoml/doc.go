// Package stricttoml reads TOML files that people write for a program: every key
// that a table of keys does not list is a fault, and all faults of a file are
// reported together, each with its line and column, what is wrong, and what to write
// instead. It knows the language and the shapes of values; what keys there are, and
// what they mean, is the caller's to say.
package stricttoml
