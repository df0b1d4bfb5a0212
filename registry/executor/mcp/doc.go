// Package mcp adds the tools of MCP (Model Context Protocol) servers to a registry. A [Server] is a
// program that speaks MCP over its standard input and output, or a server at a URL.
//
// A server runs outside of any sandbox, and what it sends is not trusted: sizes, pages and waiting
// times are limited, and numbers keep their digits. Approvals and denials of a tool no longer apply
// when its definition changes.
//
// From top to bottom: server.go starts a server and restarts it after it ended, session.go and
// list.go perform the handshake and list the tools, executor.go calls a tool, conn.go matches
// responses to requests, and internal/transport carries the messages. The package does not use the
// client of the MCP SDK; docs/rationale.md says why.
package mcp
