package runtime

import (
	"bytes"
	"context"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// requireReuse skips the test on systems that do not reuse instances.
func requireReuse(t testing.TB) {
	t.Helper()
	if !guestmem.Supported {
		t.Skip("this system cannot save guest memory")
	}
}

// wants has the settings that all calls of a test share.
type wants struct {
	grant  capability.Grant
	call   Call
	adjust func(*hostfuncs.Bindings)
}

// ask makes one call with its own Bindings.
func ask(t testing.TB, m *Module, w wants) (Output, error) {
	t.Helper()
	call := w.call
	call.Bindings = bind(t, w.grant)
	if w.adjust != nil {
		w.adjust(call.Bindings)
	}
	return m.Call(context.Background(), call)
}

// askOK is ask for a call that must succeed.
func askOK(t testing.TB, m *Module, w wants) Output {
	t.Helper()
	out, err := ask(t, m, w)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Stderr)
	}
	return out
}

// requireEqual fails the test unless two calls are equal in everything that the guest determines.
func requireEqual(t testing.TB, got, want Output, what string) {
	t.Helper()
	if !bytes.Equal(got.Output, want.Output) || !bytes.Equal(got.Stderr, want.Stderr) || !bytes.Equal(got.Failure, want.Failure) {
		t.Errorf("%s: wrote %q, %q and %q, want %q, %q and %q", what,
			got.Output, got.Stderr, got.Failure, want.Output, want.Stderr, want.Failure)
	}
	if got.Fuel != want.Fuel || got.Memory != want.Memory {
		t.Errorf("%s: %d units of fuel and %d bytes, want %d and %d", what, got.Fuel, got.Memory, want.Fuel, want.Memory)
	}
}
