package wasm

import (
	"context"
	"encoding/json"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// maxStart limits the start of a script that is checked.
const maxStart = 30 * time.Second

// CheckStart implements [tool.Starter]. It runs the start of a script.
func (e *Executor) CheckStart(ctx context.Context) (warnings []string, err error) {
	l, err := e.load(ctx)
	if err != nil || e.o.Manifest.Script.Path == "" {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, maxStart)
	defer cancel()
	asks := e.o.Manifest.Permissions
	bindings, err := hostfuncs.Bind(capability.Grant{Clock: asks.Clock, Random: asks.Random}, e.files(), hostfuncs.Services{})
	if err != nil {
		return nil, tool.Errorf(tool.CodeInternal, "the start cannot be checked").WithCause(err)
	}
	defer bindings.Close()
	call, err := e.call(tool.Invocation{
		Arguments: json.RawMessage("{}"), Text: func(string) (string, bool) { return "", false },
	})
	if err != nil {
		return nil, err
	}
	call.Entry, call.Bindings = l.entry, bindings
	unsaved, ended, out, err := l.module.Start(ctx, call)
	if !ended {
		if unsaved != "" {
			warnings = []string{"each call starts the interpreter anew, which is slow: " + unsaved}
		}
		return warnings, nil
	}
	if err != nil {
		err = failure(out, err)
	} else {
		_, err = e.result(ctx, out)
	}
	if err != nil && len(asks.FS) > 0 {
		// The script may need a file of its directories, which it does not have here.
		return []string{"the script failed before it read its arguments, without the directories that it asks for: " + err.Error()}, nil
	}
	return nil, err
}
