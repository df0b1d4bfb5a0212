package registry

import (
	"context"
	"fmt"

	"github.com/wasmtool/wasmtool/registry/internal/reference"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// expandArguments is the step that puts kept results and variables in the place of the
// references to them.
func (r *Registry) expandArguments(ctx context.Context, x *execution) error {
	if x.literal || r.opts.Calls.Results == nil && r.opts.Variables == nil {
		return nil
	}
	expanded, err := reference.Expand(x.call.Arguments, func(name string) (text string, found bool, err error) {
		if err := ctx.Err(); err != nil {
			return "", false, err
		}
		if r.opts.Calls.Results != nil {
			if text, found, err = r.opts.Calls.Results.Lookup(results.Owner{Tenant: x.call.Tenant, Session: x.call.Session}, name); found {
				return text, found, err
			}
		}
		if r.opts.Variables == nil {
			return "", false, nil
		}
		if text, found = r.opts.Variables(ctx, x.call, name); !found {
			err = reference.Invalid(tool.FaultConstraint, fmt.Sprintf("there is no variable %s; write a value in place of the reference", name))
		}
		return text, found, err
	})
	if err != nil {
		return err
	}
	x.call.Arguments = expanded
	return nil
}
