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

// tenant is a tenant whose calls differ from the calls of all others. Even the values of its
// environment variables differ, which a guest reads before its input.
type tenant struct {
	name string
	// own is the token in all data that only this tenant has.
	own      token
	callName string
	args     []string
	grant    capability.Grant
	// tight marks a tenant whose memory limit is the guest's tightPages.
	tight bool
	// warm is the input of the warm-up; nil if there is none.
	warm []byte
}

// exact reports whether equal calls of the tenant give equal reports.
func (t tenant) exact() bool { return !t.grant.Random && !t.grant.Clock && t.warm == nil }

// newTenants returns tenants that differ in everything that an instance could keep from an earlier
// call. The first tenant has a bit of everything. Most others differ from the first in only one
// thing.
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

// newWorkspace returns a directory with a few files. One of them has the tenant's token in its name
// and its content.
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

// wasmPage is the size of a WebAssembly page in bytes.
const wasmPage = 1 << 16

// limits returns the limits for the calls of a guest by a tenant.
func (t tenant) limits(g guest) runtime.Limits {
	if t.tight {
		return runtime.Limits{Memory: g.tightPages * wasmPage}
	}
	return runtime.Limits{Memory: 64 << 20}
}

// lookInput returns the input that asks a guest for its report.
func lookInput(g guest) string { return fmt.Sprintf("look %d", g.tightPages) }

// plantInput returns the input that makes a guest leave a token in the places that the parameter
// steps lists. The guest then ends the call in the way that the parameter end names.
func plantInput(left token, steps []string, end string) string {
	return fmt.Sprintf("plant %s %s", left, strings.Join(append(steps[:len(steps):len(steps)], end), " "))
}
