package tool

import (
	"encoding/json"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// Receipt is the host's record of one call: the tool and its arguments, what the tool could access
// and did access, the rule that allowed it, what it cost and how it ended. It contains no content:
// only digests of arguments and result, and only names of secrets and variables.
type Receipt struct {
	CallRef
	// Parent is the ID of the call that made this call; empty if a caller made it.
	Parent string `json:"parent,omitempty"`
	// Version is the tool's version.
	Version string `json:"version,omitempty"`
	// Resolved is true if Tool is the name of a tool, and false if it is only the requested name.
	Resolved bool `json:"-"`
	// Started is when the call began. Duration is the total time, in nanoseconds in JSON.
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration_ns"`
	// Waited is the part of Duration spent waiting for other calls, as in [CallInfo].
	Waited time.Duration `json:"waited_ns,omitempty"`
	// Digest is the tool's digest; empty if the tool was not loaded.
	Digest string `json:"digest,omitempty"`
	// Arguments and Result are SHA-256 digests in hexadecimal: of the JSON that the tool received,
	// and of the JSON of its result. Each is empty if the call ended before that JSON existed. A
	// result of more than 4 MiB is not encoded as JSON; its parts are hashed one after another.
	Arguments string `json:"arguments_sha256,omitempty"`
	Result    string `json:"result_sha256,omitempty"`
	// Sandboxed is Spec.Sandboxed. If it is false, Grant and Usage do not limit the tool. It is
	// false if there is no such tool.
	Sandboxed bool `json:"sandboxed"`
	// StubImports is Spec.StubImports.
	StubImports []string `json:"stub_imports,omitempty"`
	// Grant are the permissions that the call had.
	Grant []string `json:"grant,omitempty"`
	// Decision is "allow", "ask" or "deny", and Rule is the rule that decided. Approved is true if
	// a call that needed an approval got it. ApprovedBy says how: ApprovedByApprover,
	// ApprovedByRemembered or ApprovedByAgent. It is empty if Approved is false.
	Decision   string `json:"decision,omitempty"`
	Rule       string `json:"rule,omitempty"`
	Approved   bool   `json:"approved,omitempty"`
	ApprovedBy string `json:"approved_by,omitempty"`
	// Shell is the decision about the call's script, with the values of Decision; empty for a
	// call without a script. Grant shows whether an allowed script could do more than read.
	Shell string `json:"shell,omitempty"`
	// Usage is what the tool accessed.
	Usage capability.Usage `json:"usage,omitzero"`
	// Fuel, Memory and Attempts are as in [CallInfo].
	Fuel     uint64 `json:"fuel,omitempty"`
	Memory   uint64 `json:"memory,omitempty"`
	Attempts int    `json:"attempts,omitempty"`
	// Code is the code of the [Error] that ended the call; empty means success.
	Code Code `json:"code,omitempty"`
}

// MarshalJSON puts the version after the name of the tool.
func (r Receipt) MarshalJSON() ([]byte, error) {
	type fields Receipt
	return json.Marshal(struct {
		ID      string `json:"call_id"`
		Tool    string `json:"tool"`
		Version string `json:"version,omitempty"`
		fields
	}{r.ID, r.Tool, r.Version, fields(r)})
}
