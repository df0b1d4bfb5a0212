// Package mcp makes the tools of servers of the Model Context Protocol tools of a registry.
// A server is a program of the operator's choice that speaks over its standard input and
// output, or is at a URL. It runs outside of any sandbox, and what it sends is not trusted: sizes, pages and
// waiting are bounded, numbers keep their digits, and a tool whose definition changes is
// another tool.
//
// The package has its own small client. That of the SDK reads schemas and structured values
// into floating point numbers, and lines without a bound.
package mcp
