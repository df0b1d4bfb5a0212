package engine

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/runtime"
)

// canaries is the directory of the canary's sources and modules.
const canaries = "../../testdata/canary"

// guest is the canary in one language and one form.
type guest struct {
	language string
	abi      runtime.ABI
	wasm     func(testing.TB) []byte
	// calls is the number of the 20,000 calls of TestCanary that use this guest. A call in Go takes
	// as long as a hundred calls in other languages.
	calls int
	// slow marks a guest whose calls take much longer than in other languages.
	slow bool
	// tightPages is the memory limit of tight tenants, in pages. When a guest is examined, its
	// memory grows by the same number of pages. The guest of a tight tenant starts well below the
	// limit, but this growth exceeds it.
	tightPages uint64
	// steps lists the places where the guest can leave a token, and how the token shows when a
	// reused instance is examined.
	steps []step
	// ends lists the endings that only this guest has.
	ends []string
	// trapped lists the kinds of lines that differ after a trap if only memory is restored and
	// globals are not.
	trapped []string
}

// name identifies the guest in the names of tests.
func (g guest) name() string { return g.language + "/" + string(g.abi) }

// step is a place where a guest leaves a token.
type step struct {
	name string
	// shows lists the kinds of report lines that differ if the instance is reused without a reset.
	shows []string
	// outside marks a step that restoring memory does not undo, because the host keeps the token.
	// If global is also set, a global keeps it.
	outside, global bool
}

// The steps that all guests have.
var (
	inMemory = []step{
		{name: "static", shows: []string{"static", "found"}},
		{name: "heap", shows: []string{"found"}},
		{name: "grow", shows: []string{"pages", "found"}},
	}
	inHost = []step{
		{name: "open", shows: []string{"fd"}, outside: true},
		{name: "opendir", shows: []string{"fd"}, outside: true},
		{name: "readdir", shows: []string{"list"}, outside: true},
		{name: "close", shows: []string{"fd"}, outside: true},
		{name: "closepreopens", shows: []string{"fd", "list"}, outside: true},
		{name: "random", shows: []string{"draw"}, outside: true},
		{name: "clock", shows: []string{"clock"}, outside: true},
		{name: "flags"}, // the engine stores no flags for preopened descriptors
	}
	inC = []step{
		{name: "stack", shows: []string{"found"}},
		{name: "env", shows: []string{"env", "found"}},
		{name: "buffer", shows: []string{"found"}},
		{name: "atexit", shows: []string{"hash"}},
		{name: "scratch"},
	}
	inRust = []step{
		{name: "local", shows: []string{"local", "found"}},
		{name: "stack", shows: []string{"found"}},
		{name: "env", shows: []string{"env", "found"}},
		{name: "buffer", shows: []string{"found"}},
		{name: "scratch"},
	}
	inAssemblyScript = []step{
		{name: "number", shows: []string{"number"}, outside: true, global: true},
	}
	inGo = []step{
		{name: "map", shows: []string{"map", "found"}},
		{name: "pool", shows: []string{"pool", "found"}},
		{name: "stack", shows: []string{"found"}},
		{name: "goroutine", shows: []string{"goroutines", "found"}},
		{name: "timer", shows: []string{"static", "found"}},
		{name: "finalizer", shows: []string{"static", "found"}},
		{name: "env", shows: []string{"env", "found"}},
		{name: "scratch"},
	}
)

// guests returns the canary in all languages and forms.
func guests() []guest {
	var list []guest
	for _, abi := range []runtime.ABI{runtime.Command, runtime.Reactor} {
		list = append(
			list,
			guest{language: "c", abi: abi, wasm: committed("c", abi), calls: 3500, tightPages: 24, steps: join(inMemory, inC, inHost), trapped: []string{"stack"}},
			guest{language: "rust", abi: abi, wasm: committed("rust", abi), calls: 3500, tightPages: 24, steps: join(inMemory, inRust, inHost), trapped: []string{"stack"}},
			guest{language: "assemblyscript", abi: abi, wasm: committed("assemblyscript", abi), calls: 2500, tightPages: 24, steps: join(inMemory, inAssemblyScript, inHost)},
			guest{language: "go", abi: abi, wasm: goCanary(abi), calls: 500, slow: true, tightPages: 96, steps: join(inMemory, inGo, inHost), ends: []string{"panic"}},
		)
	}
	return list
}

func join(lists ...[]step) []step {
	var all []step
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// committed reads a committed module, which guest-examples/internal/build/languages.sh builds.
func committed(language string, abi runtime.ABI) func(testing.TB) []byte {
	file := filepath.Join(canaries, language, "canary.wasm")
	if abi == runtime.Reactor {
		file = filepath.Join(canaries, language, "reactor", "canary_reactor.wasm")
	}
	return func(tb testing.TB) []byte {
		tb.Helper()
		return readFile(tb, file)
	}
}

func readFile(tb testing.TB, name string) []byte {
	tb.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	return content
}

// onceBuilt is a module that is built by the first test that needs it.
type onceBuilt struct {
	once sync.Once
	wasm []byte
}

var goCommand, goReactor onceBuilt

// goCanary builds the canary in Go, once for all tests.
func goCanary(abi runtime.ABI) func(testing.TB) []byte {
	return func(tb testing.TB) []byte {
		tb.Helper()
		module, flags := &goCommand, []string(nil)
		if abi == runtime.Reactor {
			module, flags = &goReactor, []string{guesttest.Reactor}
		}
		module.once.Do(func() { module.wasm = guesttest.BuildGo(tb, filepath.Join(canaries, "go"), flags...) })
		return module.wasm
	}
}
