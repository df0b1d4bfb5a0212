// Package tools calls other tools. The manifest names them with permissions.tools, and the operator
// must grant them. Each call is decided, limited and recorded like a call of the tool's caller. On
// systems other than wasip1 there are no other tools.
package tools

import (
	"encoding/json"
	"strings"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest/internal/host"
)

// HostError is the error of a call that failed. Its Kind is the code of the failure, such as
// "permission_denied" or "invalid_argument", or "denied" if no tool may be called.
type HostError = host.Error

// Result is the result of a tool.
type Result struct {
	Content []guest.Content `json:"content"`
	// Structured is the structured result, or nil.
	Structured json.RawMessage `json:"structured"`
}

// Text returns the texts of the result, one a line.
func (r Result) Text() string {
	var texts []string
	for _, c := range r.Content {
		if c.Type == guest.ContentText {
			texts = append(texts, c.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// Call calls a tool and waits for its result. The arguments are encoded as JSON, which must be an
// object; nil means none. A failed call is a *[HostError].
func Call(name string, arguments any) (Result, error) {
	var r Result
	if arguments == nil {
		arguments = struct{}{}
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return r, err
	}
	result, err := call(name, text)
	if err == nil {
		err = json.Unmarshal(result, &r)
	}
	return r, err
}
