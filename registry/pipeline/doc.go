// Package pipeline runs calls of tools. Each call passes through stages: it is prepared,
// authorised, run and concluded. Each stage returns the value that the next stage needs, so a field
// exists only where it is set:
//
//	Request ── find, prepare ──▶ prepared ── authorise ──▶ authorised ── run ──▶ tool.Result
//
// Each stage records its findings in the call's [ledger.Entry]. Entry.End concludes the call: it
// writes the state, the history, the events and the receipt. A nested call, which a tool makes
// while it serves another call, is a Request with a Parent and passes through the same stages.
//
// Embedding programs use package registry, which has aliases for the types of this package.
package pipeline
