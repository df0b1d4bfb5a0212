package peer

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// ProgramFiles are the files of a program that others wrote.
type ProgramFiles struct {
	// Module is the file of the module. Data is a directory that it sees as /data.
	Module, Data string
	// Args are the arguments of a command, an interpreter, that runs its script once for each line
	// of its standard input, and prints a line then. Without Args, the module is a reactor that
	// exports the function run.
	Args []string
}

// Program is a live instance of a program that others wrote, in plain wazero. It is not safe for
// concurrent use.
type Program struct {
	wazeroEngine
	meter meter
	// run runs the program once and returns what it printed.
	run func(ctx context.Context) ([]byte, error)
	// stop ends a command.
	stop func()
}

// OpenProgram instantiates a program. cache is a directory for compiled code. The caller closes the
// result.
func OpenProgram(ctx context.Context, files ProgramFiles, v Variant, cache string) (*Program, error) {
	p := &Program{stop: func() {}}
	none := newExchange(nil)
	err := p.openVariant(ctx, files.Module, v, cache, &p.meter, func(context.Context) *exchange { return none })
	if err == nil {
		config := wazero.NewModuleConfig().WithName("").WithStartFunctions().WithArgs(files.Args...).
			WithFSConfig(wazero.NewFSConfig().WithReadOnlyDirMount(files.Data, "/data"))
		if len(files.Args) == 0 {
			err = p.startReactor(ctx, config)
		} else {
			err = p.startCommand(ctx, config)
		}
	}
	if err != nil {
		_ = p.Close()
		return nil, err
	}
	return p, nil
}

// Run runs the program once and returns what it printed. The result is valid until the next run.
func (p *Program) Run(ctx context.Context) ([]byte, error) {
	p.meter.begin()
	return p.run(ctx)
}

func (p *Program) startReactor(ctx context.Context, config wazero.ModuleConfig) error {
	var output bytes.Buffer
	mod, run, err := p.export(ctx, config.WithStdout(&output), "run")
	if err != nil {
		return err
	}
	p.run = func(ctx context.Context) ([]byte, error) {
		output.Reset()
		_, err := run.Call(ctx)
		return output.Bytes(), err
	}
	return initialize(ctx, mod)
}

// export instantiates the module and returns one of its exported functions.
func (p *Program) export(ctx context.Context, config wazero.ModuleConfig, name string) (api.Module, api.Function, error) {
	mod, err := p.runtime.InstantiateModule(ctx, p.module, config)
	if err != nil {
		return nil, nil, err
	}
	p.meter.attach(mod)
	f := mod.ExportedFunction(name)
	if f == nil {
		return nil, nil, fmt.Errorf("the module does not export %s", name)
	}
	return mod, f, nil
}

// startCommand starts a command, which runs in a goroutine until its input ends.
func (p *Program) startCommand(ctx context.Context, config wazero.ModuleConfig) error {
	t := &talk{asked: make(chan struct{}), lines: make(chan []byte), over: make(chan struct{})}
	var stderr bytes.Buffer
	_, start, err := p.export(ctx, config.WithStdin(t).WithStdout(t).WithStderr(&stderr), "_start")
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		_, err := start.Call(ctx)
		ended <- fmt.Errorf("the script ended: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}()
	p.stop = func() {
		close(t.over)
		<-ended
	}
	p.run = func(ctx context.Context) ([]byte, error) { return t.ask(ctx, ended) }
	return nil
}

// talk is the standard input and output of a command, which answers each line with a line.
type talk struct {
	asked chan struct{}
	lines chan []byte
	line  []byte
	over  chan struct{} // closed when the program is closed
}

// answerWithin is how long a script may take. The first run includes the start of its interpreter.
const answerWithin = time.Minute

// ask lets the script run once, and returns its answer. ended gets the reason when it ends.
func (t *talk) ask(ctx context.Context, ended chan error) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	asked := t.asked
	for {
		select {
		case asked <- struct{}{}:
			asked = nil
		case line := <-t.lines:
			return line, nil
		case err := <-ended:
			ended <- err // for the function stop
			return nil, err
		case <-ctx.Done():
			return nil, fmt.Errorf("no answer: %w", ctx.Err())
		}
	}
}

// Read returns an empty line for each time that the script shall run.
func (t *talk) Read(b []byte) (int, error) {
	select {
	case <-t.asked:
		return copy(b, "\n"), nil
	case <-t.over:
		return 0, io.EOF
	}
}

// Write passes on each line.
func (t *talk) Write(b []byte) (int, error) {
	t.line = append(t.line, b...)
	if bytes.HasSuffix(b, []byte("\n")) {
		select {
		case t.lines <- t.line:
		case <-t.over:
		}
		t.line = nil
	}
	return len(b), nil
}

// Close ends the program and frees what it uses.
func (p *Program) Close() error {
	p.stop()
	return p.wazeroEngine.Close()
}
