// Package secret reads the secrets that an operator configures, and hides them in everything that
// is shown to a guest or written to a log.
//
// A [Source] reads one value. A [Store] reads values when they are first needed. A [Scrubber]
// removes known values from text. Printing any of them shows no value, and no error contains a
// value or a host path.
//
// Scrubbing is a safety net for honest servers that echo what they received. It cannot stop a party
// that has a secret and wants to disguise it.
package secret
