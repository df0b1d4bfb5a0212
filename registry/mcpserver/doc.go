// Package mcpserver offers the tools of a [registry.Registry] to clients of the Model Context
// Protocol (MCP), over standard input and output or over streamable HTTP.
//
// The official SDK handles the protocol, and this package works around its quirks. Arguments and
// structured results remain JSON text, so that 64-bit integers stay exact. A line that is not a
// message gets an error response and does not end the session. A panic ends only one call. Only the
// Registry decides what a call may do. If the Registry has the built-in tools read, read_result or
// skill, and grants them what they request, clients also get resources and prompts. These are calls
// of the tools.
package mcpserver
