package rewrite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// resumes is how often a command is resumed.
const resumes = 100

// saver is the host's side of checkpoints. It saves a command before its first read, and resumes
// every later run from there.
type saver struct {
	rep *Report
	// snapshot is nil after it was restored, until there is a new one.
	snapshot experimental.Snapshot
	memory   []byte // nil before the first checkpoint
	globals  []uint64
	saved    bool // whether a snapshot was taken in this run
	restores int
}

var errNoSnapshot = errors.New("no snapshot was taken after the last one was restored")

// newSaver makes f save and resume commands.
func newSaver(rep *Report, f *refiller) *saver {
	s := &saver{rep: rep}
	f.onEnter, f.onCheckpoint = s.enter, s.checkpoint
	return s
}

func (s *saver) enter(_ context.Context, m api.Module) {
	s.saved = false
	if s.memory == nil {
		return
	}
	snapshot := s.snapshot
	if snapshot == nil {
		panic(errNoSnapshot)
	}
	view, _ := m.ExportedMemory(ExportMemory).Read(0, m.Memory().Size())
	clear(view[copy(view, s.memory):])
	for i, g := range s.rep.MutableGlobals {
		m.ExportedGlobal(GlobalExport(g)).(api.MutableGlobal).Set(s.globals[i])
	}
	s.restores++
	s.snapshot = nil
	snapshot.Restore([]uint64{1})
}

func (s *saver) checkpoint(ctx context.Context, m api.Module) uint64 {
	if s.saved {
		return 0
	}
	s.saved = true
	s.snapshot = experimental.GetSnapshotter(ctx).Snapshot()
	if s.memory == nil {
		view, _ := m.ExportedMemory(ExportMemory).Read(0, m.Memory().Size())
		s.memory = bytes.Clone(view)
		for _, g := range s.rep.MutableGlobals {
			s.globals = append(s.globals, m.ExportedGlobal(GlobalExport(g)).Get())
		}
	}
	return 0
}

// requireResuming skips the test where only the interpreter runs.
func requireResuming(t testing.TB) {
	t.Helper()
	if !wazeroCompiles() {
		t.Skip("commands are resumed only by the compiler")
	}
}

func TestCommandIsResumed(t *testing.T) {
	requireResuming(t)
	out, rep := rewriteModule(t, readingCommand(), everything)
	if len(rep.SnapshotBlockers) > 0 {
		t.Fatalf("the command cannot be saved: %v", rep.SnapshotBlockers)
	}
	f := &refiller{slice: 100, budget: 1 << 60}
	s := newSaver(rep, f)
	w := newCommandWorld(t, wazero.NewRuntimeConfig(), out, f)
	main, ctx := w.module.ExportedFunction(ExportMain), experimental.WithSnapshotter(context.Background())
	events := []string{"ready", "read"}
	for i := range uint64(1 + resumes) {
		w.number, w.events, w.said = 7*i, nil, nil
		requireExit(t, ctx, main)
		if want := []uint64{commandSays(7 * i), 1}; !slices.Equal(w.said, want) {
			t.Fatalf("run %d: the command reported %d, want %d", i, w.said, want)
		}
		if !slices.Equal(w.events, events) {
			t.Fatalf("run %d: calls %q, want %q", i, w.events, events)
		}
		events = []string{"read"}
	}
	if s.restores != resumes {
		t.Errorf("resumed %d times", s.restores)
	}
}

// TestResumedCommandMayFail lets the host end some runs at the checkpoint or after it. The next run
// still resumes from the checkpoint.
func TestResumedCommandMayFail(t *testing.T) {
	requireResuming(t)
	out, rep := rewriteModule(t, readingCommand(), everything)
	f := &refiller{slice: 100, budget: 1 << 60}
	newSaver(rep, f)
	w := newCommandWorld(t, wazero.NewRuntimeConfig(), out, f)
	main, ctx := w.module.ExportedFunction(ExportMain), experimental.WithSnapshotter(context.Background())
	requireFailure := func(want error) {
		t.Helper()
		if _, err := main.Call(ctx); err == nil || !strings.Contains(err.Error(), want.Error()) {
			t.Fatalf("got %v, want %v", err, want)
		}
	}
	for i := range uint64(20) {
		w.number, w.said = i, nil
		requireExit(t, ctx, main)
		if want := []uint64{commandSays(i), 1}; !slices.Equal(w.said, want) {
			t.Fatalf("run %d: the command reported %d, want %d", i, w.said, want)
		}
		f.budget = f.used
		requireFailure(errNoFuel)
		f.budget = 1 << 60
		w.fail = errors.New("the input broke off")
		requireFailure(w.fail)
		w.fail = nil
	}
}

// TestInterpreterDoesNotResume shows how a host can notice that a command was not resumed: the call
// ends without an error, but the first checkpoint was not called.
func TestInterpreterDoesNotResume(t *testing.T) {
	out, rep := rewriteModule(t, readingCommand(), everything)
	f := &refiller{slice: 100, budget: 1 << 60}
	s := newSaver(rep, f)
	w := newCommandWorld(t, wazero.NewRuntimeConfigInterpreter(), out, f)
	main, ctx := w.module.ExportedFunction(ExportMain), experimental.WithSnapshotter(context.Background())
	requireExit(t, ctx, main)
	if _, err := main.Call(ctx); err != nil || s.restores != 1 || s.snapshot != nil {
		t.Errorf("%v after %d restores, a new snapshot: %v; the interpreter may resume now", err, s.restores, s.snapshot != nil)
	}
}

// goCommand is a Go program. Its standard streams can be replaced between runs, and its module
// instance stays open after the program exits.
type goCommand struct {
	stdin  io.Reader
	stdout bytes.Buffer
	fuel   *refiller
	module api.Module
}

// Read reads from the current standard input.
func (c *goCommand) Read(p []byte) (int, error) { return c.stdin.Read(p) }

func newGoCommand(t testing.TB, wasm []byte) *goCommand {
	t.Helper()
	ctx := context.Background()
	c := &goCommand{fuel: &refiller{slice: 1 << 20, budget: 1 << 60}}
	r := wazero.NewRuntime(ctx)
	t.Cleanup(func() { _ = r.Close(ctx) })
	c.fuel.install(t, r)
	b := r.NewHostModuleBuilder(wasi_snapshot_preview1.ModuleName)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
	exit := api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) { panic(sys.NewExitError(uint32(stack[0]))) })
	b.NewFunctionBuilder().WithGoModuleFunction(exit, []api.ValueType{api.ValueTypeI32}, nil).Export("proc_exit")
	if _, err := b.Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	var err error
	c.module, err = r.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithStartFunctions().WithStdin(c).WithStdout(&c.stdout))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGoCommandIsResumed(t *testing.T) {
	testlevel.Long(t, "it compiles a command in Go twice and runs it many times")
	requireResuming(t)
	wasm := goGuest(t)
	out, rep, err := Rewrite(wasm, everything)
	if err != nil {
		t.Fatal(err)
	}
	fresh, command := newGuest(t, wasm), newGoCommand(t, out)
	s := newSaver(rep, command.fuel)
	main, ctx := command.module.ExportedFunction(ExportMain), experimental.WithSnapshotter(context.Background())
	// run returns the output of the command and the fuel that it used.
	run := func(stdin string) (string, int64) {
		used := command.fuel.used - command.fuel.left(command.module)
		command.stdin = strings.NewReader(stdin)
		command.stdout.Reset()
		requireExit(t, ctx, main)
		return command.stdout.String(), command.fuel.used - command.fuel.left(command.module) - used
	}
	var first int64
	for i := range 1 + resumes {
		stdin := fmt.Sprintf(`[{"name":"aab%d","price":%d.25,"tags":{"x":1.5}},{"name":"abxyz","price":%d}]`, i, i, 50)
		got, fuel := run(stdin)
		if want, _ := fresh.run(t, stdin); got != want || got == "" {
			t.Fatalf("run %d: %q, want %q", i, got, want)
		}
		if i == 0 {
			first = fuel
		}
		if i > 0 && fuel >= first {
			t.Fatalf("run %d: %d units of fuel, %d from the start", i, fuel, first)
		}
	}
	if s.restores != resumes {
		t.Errorf("resumed %d times", s.restores)
	}
}
