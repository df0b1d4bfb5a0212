// Package ledger keeps what is known of calls: an [Entry] for each, to which the stages of the
// call add what they found out. All that is told of calls are views of the entries: where
// they stand (state), what a session did (history), what it repeats (loop), what happens
// (events), what a call did (receipts), and the texts of results that were too long (results).
//
// The Ledger starts no goroutine. One lock guards the calls on their way, their states and
// what is held back; each Entry has two more for what its tool tells meanwhile.
package ledger
