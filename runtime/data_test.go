package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

func newData(t *testing.T, files map[string]string) *Data {
	t.Helper()
	content := make(map[string][]byte)
	for name, text := range files {
		content[name] = []byte(text)
	}
	d, err := NewData(content)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func withData(t *testing.T, m *Module, files map[string]string, o DataOptions) *Module {
	t.Helper()
	own, err := m.WithData(newData(t, files), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = own.Close() })
	return own
}

// readsOwn is code that reads a.txt of the tool's files into address at, and closes it.
func readsOwn(at int32) []byte {
	const atVector = 1024
	return wasmtest.Code(
		stores(atScratch, wasmtest.Const(4), wasmtest.Const(0), wasmtest.Const(atName), wasmtest.Const(5), wasmtest.Const(0),
			[]byte{wasmtest.I64Const, 2, wasmtest.I64Const, 0}, wasmtest.Const(0), wasmtest.Const(atScratch+4), wasmtest.CallFunc(wasiPathOpen)),
		stores(atVector, wasmtest.Const(at)), stores(atVector+4, wasmtest.Const(8)),
		loads(atScratch+4), wasmtest.Const(atVector), wasmtest.Const(1), wasmtest.Const(atCount), wasmtest.CallFunc(wasiFDRead), []byte{wasmtest.Drop},
		loads(atScratch+4), wasmtest.CallFunc(wasiFDClose), []byte{wasmtest.Drop},
	)
}

// draws is code that draws 8 random bytes.
func draws(at int32) []byte { return calls(wasiRandomGet, at, 8) }

// writesAll is code that writes 48 bytes from atState, and the input.
func writesAll() []byte {
	return wasmtest.Code(writes(1, atState, wasmtest.Const(48)), writes(1, atInput, loads(atCount)))
}

// Two tools with one module have their own files, their own instances and their own kinds.
func TestToolsOfOneModule(t *testing.T) {
	requireReuse(t)
	r := newRuntime(t, Options{})
	m := load(t, r, parts{start: wasmtest.Code(readsOwn(atState), reads(), writesAll())}.bytes())
	one := withData(t, m, map[string]string{"a.txt": "one"}, DataOptions{})
	two := withData(t, m, map[string]string{"a.txt": "two"}, DataOptions{})
	again := withData(t, m, map[string]string{"a.txt": "one"}, DataOptions{})
	if again.c != one.c || two.c == one.c {
		t.Error("only equal tools share their instances")
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		for text, tool := range map[string]*Module{"one": one, "two": two} {
			out := askOK(t, tool, wants{call: Call{Input: []byte("in")}})
			if got := string(out.Output); !strings.HasPrefix(got, text+"\x00") || !strings.HasSuffix(got, "in") {
				t.Errorf("call %d of %s wrote %q", n, text, got)
			}
			if want := n > 0; out.Reused != want {
				t.Errorf("call %d of %s: reused: %v", n, text, out.Reused)
			}
		}
	}
	if plain, err := r.Load(t.Context(), parts{start: wasmtest.Code(readsOwn(atState), reads(), writesAll())}.bytes()); err != nil {
		t.Error(err)
	} else if out, err := ask(t, plain, wants{call: Call{Input: []byte("in")}}); err != nil || bytes.Contains(out.Output, []byte("one")) {
		t.Errorf("a module without files wrote %q, %v", out.Output, err)
	}
}

// A guest that draws random numbers while it starts is saved only where no caller can notice it.
func TestRandomNumbersOfStart(t *testing.T) {
	requireReuse(t)
	granted := capability.Grant{Random: true}
	start := func(before, after bool) []byte {
		var b []byte
		if before {
			b = draws(atState + 8)
		}
		b = wasmtest.Code(b, readsOwn(atState))
		if after {
			b = wasmtest.Code(b, draws(atState+16))
		}
		return wasmtest.Code(b, reads(), draws(atState+24), writesAll())
	}
	for _, tt := range []struct {
		name          string
		before, after bool
		reseeds       bool
		grant         capability.Grant
		saved         bool
	}{
		{"nothing", false, false, false, granted, true},
		{"before the files, by a guest that reseeds", true, false, true, granted, true},
		{"before the files, by a guest that does not", true, false, false, granted, false},
		{"after the files", false, true, true, granted, false},
		{"before and after", true, true, true, granted, false},
		{"the fixed stream", true, true, false, capability.Grant{}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRuntime(t, Options{})
			m := load(t, r, parts{start: start(tt.before, tt.after)}.bytes())
			tool := withData(t, m, map[string]string{"a.txt": "one"}, DataOptions{Reseeds: tt.reseeds})
			seen := make(map[string]string)
			drawn := func(tenant string, n int) (atStart string) {
				out := askOK(t, tool, wants{grant: tt.grant, call: Call{Input: []byte("in"), Tenant: tenant}})
				if tt.grant.Random {
					// No number that is drawn after the input was read, or by an unsaved start,
					// repeats.
					for _, at := range []int{16, 24} {
						number := string(out.Output[at : at+8])
						if other, ok := seen[number]; ok && number != strings.Repeat("\x00", 8) {
							t.Errorf("call %d of %s drew the same as %s", n, tenant, other)
						}
						seen[number] = fmt.Sprintf("call %d of %s", n, tenant)
					}
				}
				return string(out.Output[8:16]) + fmt.Sprint(out.Reused)
			}
			first := make(map[string]string)
			for n := range 4 {
				for _, tenant := range []string{"a", "b"} {
					got := drawn(tenant, n)
					number, reused := got[:8], got[8:] == "true"
					// Tenants share a start that drew nothing of its own.
					others := tenant == "b" && !tt.reseeds
					if want := tt.saved && (n > 0 || others); reused != want {
						t.Errorf("call %d of %s: reused: %v", n, tenant, reused)
					}
					if n == 0 {
						first[tenant] = number
					}
					if tt.saved && number != first[tenant] {
						t.Errorf("call %d of %s started with another number", n, tenant)
					}
				}
			}
			if tt.before && tt.grant.Random && first["a"] == first["b"] {
				t.Error("two tenants started with the same number")
			}
		})
	}
}

// The numbers that a start drew are replaced after some calls.
func TestStartsAreRenewed(t *testing.T) {
	requireReuse(t)
	r := newRuntime(t, Options{})
	m := load(t, r, parts{start: wasmtest.Code(draws(atState+8), readsOwn(atState), reads(), writesAll())}.bytes())
	tool := withData(t, m, map[string]string{"a.txt": "one"}, DataOptions{Reseeds: true})
	w := wants{grant: capability.Grant{Random: true}, call: Call{Input: []byte("in")}}
	seen := make(map[string]int)
	for range 2*renewAfter + 10 {
		seen[string(askOK(t, tool, w).Output[8:16])]++
	}
	if len(seen) != 3 {
		t.Errorf("%d numbers in %d calls", len(seen), 2*renewAfter+10)
	}
	for _, calls := range seen {
		if calls > renewAfter+1 {
			t.Errorf("one number served %d calls", calls)
		}
	}
	if idle := r.pools.Usage().Waiting; idle > 8<<20 {
		t.Errorf("%d bytes wait, so instances of old starts are left", idle)
	}
}

// Tools of one interpreter do not displace each other, and share the memory of their images.
func TestManyToolsOfOneModule(t *testing.T) {
	requireReuse(t)
	const tools, large = 3 * maxKinds, 64 // pages
	r := newRuntime(t, Options{MaxIdleBytes: tools * (idleBytes + 128<<10) * 2})
	guest := parts{memory: []uint32{large}, start: wasmtest.Code(readsOwn(atState), reads(), writesAll())}
	guest.change = func(m *wasmtest.Module) {
		m.Data = append(m.Data, wasmtest.Data{Offset: 2 * page, Bytes: bytes.Repeat([]byte{7}, 60*page)})
	}
	m := load(t, r, guest.bytes())
	var all []*Module
	for n := range tools {
		all = append(all, withData(t, m, map[string]string{"a.txt": fmt.Sprint(n)}, DataOptions{}))
	}
	for round := range 3 {
		for n, tool := range all {
			out := askOK(t, tool, wants{call: Call{Input: []byte("in")}})
			if out.Reused != (round > 0) || !strings.HasPrefix(string(out.Output), fmt.Sprint(n)+"\x00") {
				t.Fatalf("round %d: tool %d wrote %q, reused: %v", round, n, out.Output, out.Reused)
			}
		}
	}
	for _, tool := range all {
		_ = tool.Close()
		<-tool.c.freed
	}
	if usage := r.pools.Usage(); usage.Waiting != 0 || usage.Memory != 0 {
		t.Errorf("after closing, %+v is left", usage)
	}
}

func TestMountOverFilesOfTool(t *testing.T) {
	r := newRuntime(t, Options{})
	m := load(t, r, echo().bytes())
	tool := withData(t, m, map[string]string{"a.txt": ""}, DataOptions{})
	for at, want := range map[string]bool{"/tool": true, "/tool/lib": true, "/tools": false, "": false} {
		mount := capability.GrantedFS{FS: capability.FS{Mount: "data", At: at, Mode: capability.ModeRead}, Dir: t.TempDir()}
		_, err := ask(t, tool, wants{grant: capability.Grant{FS: []capability.GrantedFS{mount}}})
		var e *Error
		if refused := errors.As(err, &e) && e.Reason == InvalidModule && strings.Contains(e.Message, "the mount data"); refused != want {
			t.Errorf("a mount at %q: %v", at, err)
		}
	}
	if _, err := NewData(map[string][]byte{"../x": nil}); err == nil {
		t.Error("a path that leads up is accepted")
	}
}
