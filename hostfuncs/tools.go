package hostfuncs

import (
	"context"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/hostfuncs/internal/noted"
)

// Limits of the calls that a guest makes.
const (
	// MaxToolCalls limits the calls of other tools during one call.
	MaxToolCalls = 200
	// MaxToolArguments limits the arguments of such a call, and MaxToolResult its result as JSON,
	// both in bytes.
	MaxToolArguments = 4 << 20
	MaxToolResult    = 16 << 20
)

// toolCalls are the calls of other tools that a guest makes.
type toolCalls struct {
	granted bool
	call    func(ctx context.Context, name string, arguments []byte) (result []byte, err error)
	made    atomic.Int64
	called  noted.Names
}

// CallTool calls another tool for the guest. arguments is a JSON object, and the result is the JSON
// of a result, as docs/abi.md describes it. The error is an [*Error], whose Kind is the code of the
// call if the call was made.
func (b *Bindings) CallTool(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	t := &b.tools
	switch {
	case !t.granted || t.call == nil:
		return nil, newError(CodeDenied, "denied", "no call of another tool is permitted; the manifest must ask for it with permissions.tools, and the operator must grant it")
	case len(arguments) > MaxToolArguments:
		return nil, newError(CodeTooMuch, "too_large", "the arguments of a call must be at most %d bytes long", MaxToolArguments)
	case t.made.Add(1) > MaxToolCalls:
		return nil, newError(CodeTooMuch, "too_many", "a call may make at most %d calls of other tools", MaxToolCalls)
	}
	t.called.Add(name[:min(len(name), maxToolName)])
	result, err := t.call(ctx, name, arguments)
	if err == nil && len(result) > MaxToolResult {
		return nil, newError(CodeTooMuch, "too_large", "the result of %s has more than %d bytes", name, MaxToolResult)
	}
	return result, err
}

// maxToolName limits the name that is recorded, in bytes. No tool has a longer name.
const maxToolName = 256
