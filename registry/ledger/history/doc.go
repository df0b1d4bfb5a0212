// Package history keeps the last calls of each session, with hashes that identify equal calls and
// equal results. It keeps a limited number of calls; a program that needs all of them sets a
// Sink.
package history
