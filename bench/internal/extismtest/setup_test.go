package extismtest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/runtime"
)

// sdk is the folder of the SDK in the module cache.
var sdk = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/extism/go-sdk").Output()
	return strings.TrimSpace(string(out)), err
})

// folder is one of the SDK's.
func folder(t testing.TB, name string) string {
	t.Helper()
	dir, err := sdk()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}

// read returns one of the SDK's plug-ins.
func read(t testing.TB, name string) []byte {
	t.Helper()
	wasm, err := os.ReadFile(filepath.Join(folder(t, "wasm"), name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

func newRuntime(t testing.TB) *runtime.Runtime {
	r := runtime.New(runtime.Options{})
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// sdkOutput makes one call of a plug-in with the SDK. A code that is not 0 is an error.
func sdkOutput(ctx context.Context, t *testing.T, m extism.Manifest, export, input string) ([]byte, error) {
	t.Helper()
	plugin, err := extism.NewPlugin(ctx, m, extism.PluginConfig{
		EnableWasi: true, EnableHttpResponseHeaders: true,
		RuntimeConfig: wazero.NewRuntimeConfigInterpreter(), // compiling takes longer than the call
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer plugin.Close(ctx)
	code, output, err := plugin.CallWithContext(ctx, export, []byte(input))
	if err == nil && code != 0 {
		err = errors.New("a code that is not 0")
	}
	return output, err
}

func load(t testing.TB, r *runtime.Runtime, wasm []byte) *runtime.Module {
	t.Helper()
	m, err := r.Load(t.Context(), wasm)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// setup is what a call reaches.
type setup struct {
	grant capability.Grant
	http  egress.Transport
	log   hostfuncs.Listener
}

func bind(t testing.TB, s setup) *hostfuncs.Bindings {
	t.Helper()
	b, err := hostfuncs.Bind(s.grant, files.Options{}, hostfuncs.Services{HTTP: s.http, Listener: s.log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}
