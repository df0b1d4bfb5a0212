// Package capability describes the access of a guest. A tool requests [Permissions], an operator is
// willing to grant or denies the permissions in a [Grantable], and one call gets a [Grant]. The
// package contains only data and pure functions. It opens no files or connections, and knows
// nothing about WASM, tools or the command line. It never holds the value of a secret. Its
// functions are safe for concurrent use on values that do not change.
//
// A missing permission means no access, a denial overrides everything that is grantable, and a tool
// can only request: [Intersect] never returns more than both sides allow.
//
// People write permissions as short strings such as "read:workspace"; see [Permission] for the
// grammar.
package capability
