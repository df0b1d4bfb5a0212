package extism

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

// sdkDirectory returns the directory of the SDK in the module cache.
var sdkDirectory = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/extism/go-sdk").Output()
	return strings.TrimSpace(string(out)), err
})

// sdkPath returns the path of a file or directory of the SDK.
func sdkPath(t testing.TB, name string) string {
	t.Helper()
	dir, err := sdkDirectory()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}

// readPlugin returns a plug-in of the SDK's own tests.
func readPlugin(t testing.TB, name string) []byte {
	t.Helper()
	wasm, err := os.ReadFile(filepath.Join(sdkPath(t, "wasm"), name+".wasm"))
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

// callWithSDK calls a plug-in once with the SDK. An exit code other than 0 is an error.
func callWithSDK(ctx context.Context, t *testing.T, m extism.Manifest, export, input string) ([]byte, error) {
	t.Helper()
	plugin, err := extism.NewPlugin(ctx, m, extism.PluginConfig{
		EnableWasi: true, EnableHttpResponseHeaders: true,
		RuntimeConfig: wazero.NewRuntimeConfigInterpreter(), // compiling would take longer
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer plugin.Close(ctx)
	code, output, err := plugin.CallWithContext(ctx, export, []byte(input))
	if err == nil && code != 0 {
		err = errors.New("exit code other than 0")
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

// access says what a call may access, and where its log messages go.
type access struct {
	grant capability.Grant
	http  egress.Transport
	log   hostfuncs.Listener
}

func bind(t testing.TB, a access) *hostfuncs.Bindings {
	t.Helper()
	b, err := hostfuncs.Bind(a.grant, files.Options{}, hostfuncs.Services{HTTP: a.http, Listener: a.log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}
