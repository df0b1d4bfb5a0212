// Package pipeline takes a call from its arguments to its result. A call is prepared,
// authorised, run and concluded. Each stage returns the value that the next one takes, so
// that a field can be read only where it is set:
//
//	Request ── find, prepare ──▶ prepared ── authorise ──▶ authorised ── run ──▶ tool.Result
//
// A stage appends what it learns to the call's ledger.Entry, and Entry.End concludes the call:
// it makes the state, the history, the events and the receipt. A call that a tool makes while
// it serves another one is a Request with a Parent and passes the same stages.
//
// Package registry is the front door: embedders use its names for the types here.
package pipeline
