// Package secret has the operator's secrets: where their values come from, and how they
// are hidden again where a server told one. No value is printed, logged or part of an
// error; a Store gives one out for a use that it fits, and a Scrubber takes it out of
// texts and streams.
package secret
