// Package ledger records calls. Each call has an [Entry], in which the stages of the call record
// their findings. Everything that the registry reports about calls is a view of the entries: states
// (package state), the history of sessions (history), repetition (loop), events, receipts, and the
// full texts of results that were shortened (results).
//
// The Ledger starts no goroutine. One lock guards the calls in flight, their states, and the
// selectors of calls that Drain holds back. Each Entry has two further locks for the updates of its
// tool.
package ledger
