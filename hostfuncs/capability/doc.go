// Package capability names what a guest may reach: what a tool asks for
// (Permissions), what an operator is willing to give or takes away (Offer), and what
// one call gets (Grant). It is pure data and pure functions: it opens nothing and
// knows nothing of WASM, tools or the command line. Its values hold no secret's
// value, and its functions are safe for concurrent use on values nobody changes.
//
// An absent permission means none, a denial wins over any offer, and a tool can only
// ask: Intersect never yields more than either side allows.
//
// People write permissions as words; see Word for the grammar.
package capability
