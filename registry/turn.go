package registry

import "context"

// waitForTurn returns when the tool may run.
func (r *Registry) waitForTurn(ctx context.Context, x *execution) (leave func(), err error) {
	return func() {}, nil
}
