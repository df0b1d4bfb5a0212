// Package history keeps the last calls of each session, newest last in time and first in
// what it returns, with digests by which equal calls and equal results are found. It holds
// no more than it is told to; whoever wants all of it gives a Sink.
package history
