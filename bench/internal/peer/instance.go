package peer

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero/api"
)

// Instance is one instance of a reactor in plain wazero that serves all calls. It is not safe for
// concurrent use.
type Instance struct {
	wazeroEngine
	exchange *exchange
	module   api.Module
	meter    meter
}

// OpenInstance instantiates a module in plain wazero. cache is a directory for compiled code. The
// caller closes the result.
func OpenInstance(ctx context.Context, file string, v Variant, cache string) (*Instance, error) {
	i := &Instance{exchange: newExchange(nil)}
	if err := i.start(ctx, file, v, cache); err != nil {
		_ = i.Close()
		return nil, err
	}
	return i, nil
}

func (i *Instance) start(ctx context.Context, file string, v Variant, cache string) error {
	err := i.openVariant(ctx, file, v, cache, &i.meter, func(context.Context) *exchange { return i.exchange })
	if err != nil {
		return err
	}
	if i.module, err = i.instantiate(ctx); err != nil {
		return err
	}
	i.meter.attach(i.module)
	return initialize(ctx, i.module)
}

// initialize calls the export that a reactor wants to be called first.
func initialize(ctx context.Context, mod api.Module) error {
	f := mod.ExportedFunction(initializeExport)
	if f == nil {
		return nil
	}
	_, err := f.Call(ctx)
	return err
}

// Func returns an export of the module as a function from input to output. It fails if the export
// does not exist.
func (i *Instance) Func(export string) (func(ctx context.Context, input []byte) ([]byte, error), error) {
	f := i.module.ExportedFunction(export)
	if f == nil {
		return nil, fmt.Errorf("the module has no export %s", export)
	}
	var stack [1]uint64
	return func(ctx context.Context, input []byte) ([]byte, error) {
		i.exchange.begin(input)
		i.meter.begin()
		err := f.CallWithStack(ctx, stack[:])
		return reactorEnd(i.exchange, stack[0], err)
	}, nil
}
