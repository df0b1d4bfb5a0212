// Package mcpserver offers the tools of a Registry to clients of the Model Context
// Protocol, over standard input and output or over streamable HTTP.
//
// The protocol is that of the official SDK, which this package keeps its users from
// feeling: arguments and structured results go through as the JSON text that they are, so
// that 64-bit integers stay exact; a line that is no message is answered and the server
// goes on; a panic ends one call. What a call may do is decided by the Registry and by
// nothing here.
package mcpserver
