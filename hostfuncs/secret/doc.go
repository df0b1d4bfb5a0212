// Package secret reads the secrets an operator configures and hides them in what a
// guest or a log gets to see.
//
// A Source says where one value is, a Store reads values when they are first needed,
// and a Scrubber takes known values out of text. Printing any of them shows no value,
// and no error holds a value or a path of the host.
//
// Scrubbing is a net under honest servers that echo what they were sent. It cannot
// stop a party that has a secret and wants to disguise it.
package secret
