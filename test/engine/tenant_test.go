package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/runtime"
)

// tenant is somebody for whom calls run: what it sees is its own, down to the values
// of variables that are read before a guest reads its input.
type tenant struct {
	name string
	// own is in all that only the tenant has.
	own      token
	callName string
	args     []string
	grant    capability.Grant
	// tight tells that the guest's lower ceiling of memory holds.
	tight bool
	// warm is what instances are warmed with; nil for nothing.
	warm []byte
}

// exact tells that equal calls of the tenant give equal reports.
func (t tenant) exact() bool { return !t.grant.Random && !t.grant.Clock && t.warm == nil }

// newTenants returns tenants that differ in all that an instance may keep of whom it
// served. The first one has a bit of everything, and most others differ from it in one
// thing alone.
func newTenants(tb testing.TB, g guest) []tenant {
	tb.Helper()
	var tenants []tenant
	add := func(name string, change func(*tenant)) {
		own := token(0xa0 + len(tenants))
		first := tenant{
			name: name, own: own, callName: "canary", args: []string{"argument"},
			grant: capability.Grant{
				Env: map[string]string{"CANARY": "value"},
				FS:  []capability.GrantedFS{{FS: capability.FS{Mount: "workspace", Mode: capability.ModeRead}, Dir: newWorkspace(tb, own)}},
			},
		}
		change(&first)
		tenants = append(tenants, first)
	}
	add("a bit of everything", func(*tenant) {})
	add("other files", func(*tenant) {})
	add("another value", func(t *tenant) { t.grant.Env["CANARY"] = t.own.String() })
	add("another argument", func(t *tenant) { t.args[0] = t.own.String() })
	add("another name", func(t *tenant) { t.callName = t.own.String() })
	add("another path", func(t *tenant) { t.grant.FS[0].At = "/" + t.own.String() })
	add("little memory", func(t *tenant) { t.tight = true })
	add("real randomness", func(t *tenant) { t.grant.Random = true })
	add("the real clock", func(t *tenant) { t.grant.Clock = true })
	add("scratch space", func(t *tenant) {
		t.grant.FS = append(t.grant.FS, capability.GrantedFS{FS: capability.FS{Mount: capability.ScratchMount, Mode: capability.ModeWrite}})
	})
	add("nothing", func(t *tenant) { t.args, t.grant = nil, capability.Grant{} })
	if g.abi == runtime.Reactor {
		add("a warm-up", func(t *tenant) { t.warm = []byte(plantInput(t.own, []string{"heap"}, "return")) })
	}
	return tenants
}

// newWorkspace returns a folder with a few files, one of them with a tenant's token in
// its name and its content.
func newWorkspace(tb testing.TB, own token) string {
	tb.Helper()
	dir := tb.TempDir()
	for _, name := range []string{"a", "b", "c", "d", "file-" + own.String(), "z"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(own.String()), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// bind returns fresh bindings for one call.
func bind(tb testing.TB, g capability.Grant) *hostfuncs.Bindings {
	tb.Helper()
	b, err := hostfuncs.Bind(g, files.Options{}, hostfuncs.Services{})
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// wasmPage is the size of a page of memory in bytes.
const wasmPage = 1 << 16

// limits returns the limits of a tenant's calls of a guest.
func (t tenant) limits(g guest) runtime.Limits {
	if t.tight {
		return runtime.Limits{Memory: g.tightPages * wasmPage}
	}
	return runtime.Limits{Memory: 64 << 20}
}

// lookInput asks a guest for its report.
func lookInput(g guest) string { return fmt.Sprintf("look %d", g.tightPages) }

// plantInput asks a guest to leave a token in some places and to end in some way.
func plantInput(left token, steps []string, end string) string {
	return fmt.Sprintf("plant %s %s", left, strings.Join(append(steps[:len(steps):len(steps)], end), " "))
}
