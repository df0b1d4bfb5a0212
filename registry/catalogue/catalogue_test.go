package catalogue

import (
	"context"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// fake is an executor that does nothing.
type fake struct{ closed bool }

func (*fake) Prepare(context.Context) error { return nil }

func (*fake) Execute(context.Context, tool.Invocation) (tool.Result, error) {
	return tool.Result{}, nil
}

func (f *fake) Close() error {
	f.closed = true
	return nil
}
