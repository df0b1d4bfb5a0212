package peer

import (
	"bytes"
	"context"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Program is a live instance of a program that others wrote, in plain wazero. It reads the files of
// a directory and writes to its standard output. It is not safe for concurrent use.
type Program struct {
	wazeroEngine
	meter  meter
	run    api.Function
	output bytes.Buffer
}

// OpenProgram instantiates a module that exports the function run. The module sees dir as /. cache
// is a directory for compiled code. The caller closes the result.
func OpenProgram(ctx context.Context, file, dir string, v Variant, cache string) (*Program, error) {
	p := &Program{}
	if err := p.start(ctx, file, dir, v, cache); err != nil {
		_ = p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Program) start(ctx context.Context, file, dir string, v Variant, cache string) error {
	none := newExchange(nil)
	if err := p.openVariant(ctx, file, v, cache, &p.meter, func(context.Context) *exchange { return none }); err != nil {
		return err
	}
	mod, err := p.runtime.InstantiateModule(ctx, p.module, wazero.NewModuleConfig().WithName("").WithStartFunctions().
		WithStdout(&p.output).WithFSConfig(wazero.NewFSConfig().WithReadOnlyDirMount(dir, "/")))
	if err != nil {
		return err
	}
	p.meter.attach(mod)
	if p.run = mod.ExportedFunction("run"); p.run == nil {
		return errors.New("the module does not export run")
	}
	return initialize(ctx, mod)
}

// Run runs the program once and returns what it printed. The result is valid until the next run.
func (p *Program) Run(ctx context.Context) ([]byte, error) {
	p.output.Reset()
	p.meter.begin()
	_, err := p.run.Call(ctx)
	return p.output.Bytes(), err
}
