package hostfuncs

import (
	"context"
	"encoding/json"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/hostfuncs/internal/noted"
)

// Limits of the calls that a guest makes.
const (
	// MaxToolCalls limits the calls of other tools during one call.
	MaxToolCalls = 200
	// MaxToolArguments limits the arguments of such a call in bytes. MaxToolResult limits its
	// result as JSON in bytes, and the results of calls that are made together.
	MaxToolArguments = 4 << 20
	MaxToolResult    = 16 << 20
	// MaxToolsFound limits the tools that a search returns.
	MaxToolsFound = 50
)

// ToolCall is a call of another tool by a guest.
type ToolCall struct {
	Tool string `json:"tool"`
	// Arguments is a JSON object.
	Arguments json.RawMessage `json:"arguments"`
	// Line is the line of the script that makes the call, or 0; see tool.InnerCall.
	Line int `json:"line"`
	// Brief leaves the content out of a result that has a structured value other than null.
	Brief bool `json:"brief"`
}

// ToolAnswer is the answer to a ToolCall.
type ToolAnswer struct {
	// Result is the JSON of a result, as docs/abi.md describes it.
	Result json.RawMessage
	// Err is nil or an [*Error], whose Kind is the code of the call if the call was made.
	Err error
}

// ToolInfo describes a tool that a guest may call.
type ToolInfo struct {
	Name string `json:"name"`
	// Signature declares the tool as a function, in the language of the script.
	Signature   string `json:"signature"`
	Description string `json:"description"`
}

// Tools are the other tools that a guest may call. The zero value has none.
type Tools struct {
	// Call makes calls, and returns their answers in the same order. It decides itself about each
	// call.
	Call func(ctx context.Context, calls []ToolCall) []ToolAnswer
	// Find returns tools that match a query, best match first; "" matches all. The language is
	// "python" or another word for JavaScript.
	Find func(query, language string, limit int) []ToolInfo
}

// toolCalls are the calls of other tools that a guest makes.
type toolCalls struct {
	Tools
	granted bool
	made    atomic.Int64
	called  noted.Names
}

// CallTools calls other tools for the guest. Calls over a limit are not made.
func (b *Bindings) CallTools(ctx context.Context, calls []ToolCall) []ToolAnswer {
	t := &b.tools
	answers := make([]ToolAnswer, len(calls))
	var made []ToolCall
	var at []int
	for i, call := range calls {
		if answers[i].Err = t.mayCall(call); answers[i].Err == nil {
			made, at = append(made, call), append(at, i)
			t.called.Add(call.Tool[:min(len(call.Tool), maxToolName)])
		}
	}
	if len(made) == 0 {
		return answers
	}
	size := 0
	for i, answer := range t.Call(ctx, made) {
		if size += len(answer.Result); answer.Err == nil && size > MaxToolResult {
			answer = ToolAnswer{Err: newError(CodeTooMuch, "too_large", "the results of calls that are made together have more than %d bytes at %s; ask for less", MaxToolResult, made[i].Tool)}
		}
		answers[at[i]] = answer
	}
	return answers
}

// mayCall returns an error for a call that is not made. It counts the others.
func (t *toolCalls) mayCall(call ToolCall) error {
	switch {
	case !t.granted || t.Call == nil:
		return errNoTools()
	case len(call.Arguments) > MaxToolArguments:
		return newError(CodeTooMuch, "too_large", "the arguments of a call must be at most %d bytes long", MaxToolArguments)
	case t.made.Add(1) > MaxToolCalls:
		return ErrTooManyCalls()
	}
	return nil
}

// FindTools returns up to MaxToolsFound tools that the guest may call and that match a query.
func (b *Bindings) FindTools(query, language string, limit int) ([]ToolInfo, error) {
	t := &b.tools
	if !t.granted || t.Find == nil {
		return nil, errNoTools()
	}
	if limit <= 0 || limit > MaxToolsFound {
		limit = MaxToolsFound
	}
	return t.Find(query, language, limit), nil
}

// ErrTooManyCalls returns the error of a call over MaxToolCalls.
func ErrTooManyCalls() *Error {
	return newError(CodeTooMuch, "too_many", "a call may make at most %d calls of other tools; make fewer, or split the work", MaxToolCalls)
}

func errNoTools() *Error {
	return newError(CodeDenied, "denied", "no call of another tool is permitted; the manifest must ask for it with permissions.tools, and the operator must grant it")
}

// maxToolName limits the name that is recorded, in bytes. No tool has a longer name.
const maxToolName = 256
