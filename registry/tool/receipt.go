package tool

import (
	"encoding/json"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// Receipt is what one call did, as the host knows it: which tool with which arguments, what
// it could reach and did reach, which rule let it run, what it cost and how it ended. It
// holds no contents: of arguments and result only digests, of secrets and variables only
// names.
type Receipt struct {
	CallRef
	// Version is the tool's.
	Version string `json:"version,omitempty"`
	// Resolved tells that Tool is the name of a tool, and not only what was asked for.
	Resolved bool `json:"-"`
	// Started is when the call began, and Duration how long it took in all, in
	// nanoseconds in JSON.
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration_ns"`
	// Waited is the part of Duration in which it waited for others, as in CallInfo.
	Waited time.Duration `json:"waited_ns,omitempty"`
	// Digest is what Registry.Digest tells of the tool; empty when it was not loaded.
	Digest string `json:"digest,omitempty"`
	// Arguments and Result are the SHA-256, in hexadecimal, of the JSON that the tool got
	// and of what it gave back; empty when it came not so far. A result of more than 4 MiB
	// is not written as JSON for that: its parts count one after another.
	Arguments string `json:"arguments_sha256,omitempty"`
	Result    string `json:"result_sha256,omitempty"`
	// Sandboxed is Spec.Sandboxed: without it, Grant and Usage bound nothing. It is false when
	// there is no such tool.
	Sandboxed bool `json:"sandboxed"`
	// Grant are the words of what it could reach.
	Grant []string `json:"grant,omitempty"`
	// Decision is "allow", "ask" or "deny", and Rule what decided that; Approved says that
	// somebody was asked and said yes, now or before.
	Decision string `json:"decision,omitempty"`
	Rule     string `json:"rule,omitempty"`
	Approved bool   `json:"approved,omitempty"`
	// Shell is what its script came to, as Decision; empty for a call without one. Of a
	// script that was allowed, Grant tells whether it could do more than read.
	Shell string `json:"shell,omitempty"`
	// Usage is what it reached.
	Usage capability.Usage `json:"usage,omitzero"`
	// Fuel, Memory and Attempts are as in CallInfo.
	Fuel     uint64 `json:"fuel,omitempty"`
	Memory   uint64 `json:"memory,omitempty"`
	Attempts int    `json:"attempts,omitempty"`
	// Code is that of the Error with which the call ended; empty for success.
	Code Code `json:"code,omitempty"`
}

// MarshalJSON writes the version next to the name of the tool.
func (r Receipt) MarshalJSON() ([]byte, error) {
	type fields Receipt
	return json.Marshal(struct {
		ID      string `json:"call_id"`
		Tool    string `json:"tool"`
		Version string `json:"version,omitempty"`
		fields
	}{r.ID, r.Tool, r.Version, fields(r)})
}
