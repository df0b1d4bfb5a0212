package tool

import "encoding/json"

// InnerCall is a call of another tool that code in the sandbox makes; see Invocation.CallTools.
type InnerCall struct {
	// Tool is the name or an alias of a tool, or its path in scripts, such as github.list_issues.
	Tool string
	// Arguments is a JSON object; empty and null mean {}.
	Arguments json.RawMessage
	// Script is the script that makes the call, and Line its line, counted from 1. Both are only
	// shown to people: the guest chooses the line. They may be empty and 0.
	Script string
	Line   int
}

// InnerRecord is what is kept of an InnerCall that has ended. A program that runs the script again
// could answer its calls from these records, in their order, without making them again.
type InnerRecord struct {
	// Parent is the ID of the call that ran the script, and Call the ID of the inner call.
	Parent, Call string
	// Number is the place of the call among all calls of the script, counted from 1. Calls that are
	// made together are in the order in which the script began them.
	Number int
	// Tool is the name that the script used, and Arguments the SHA-256 of the arguments as the
	// script sent them, in hexadecimal.
	Tool, Arguments string
	// Outcome is what the script got. It shares memory with the result.
	Outcome Outcome
}

// Outcome is how a call ended.
type Outcome struct {
	Result Result
	// Err is nil or an *[Error].
	Err error
}
