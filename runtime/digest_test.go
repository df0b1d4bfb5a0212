package runtime

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

func TestSHA256DigestsMemory(t *testing.T) {
	data := []byte(strings.Repeat("abc", 100))
	r := newRuntime(t, Options{})
	want := sha256.Sum256(data)
	m := load(t, r, asking("sha256", data, 32, askedAt, int32(len(data)), roomAt, 32).Bytes())
	out, err := m.Call(t.Context(), Call{Entry: Entry{ABI: Reactor}, Bindings: bind(t, capability.Grant{})})
	if err != nil || string(out.Output[roomAt:]) != string(want[:]) || out.Output[0] != 32 {
		t.Errorf("got %x, %v", out.Output, err)
	}
	for name, tt := range map[string]struct {
		args   []int32
		want   int32
		reason Reason
	}{
		"room for a part":    {[]int32{askedAt, 3, roomAt, 31}, -4, ""},
		"data beyond memory": {[]int32{1 << 16, 1, roomAt, 32}, 0, BadGuest},
		"room beyond memory": {[]int32{askedAt, 3, 1<<16 - 31, 32}, 0, BadGuest},
		"into the data":      {[]int32{askedAt, 300, askedAt + 1, 32}, 32, ""},
	} {
		m := load(t, r, asking("sha256", data, 0, tt.args...).Bytes())
		out, err := m.Call(t.Context(), Call{Entry: Entry{ABI: Reactor}, Bindings: bind(t, capability.Grant{})})
		if got := reasonOf(t, err); got != tt.reason || err == nil && int32(binary.LittleEndian.Uint32(out.Output)) != tt.want {
			t.Errorf("%s: got %q (%v) and %v, want %q and %d", name, got, err, out.Output, tt.reason, tt.want)
		}
	}
}

// One call digests at most 64 MiB, because the deadline is not checked while a digest is computed.
func TestSHA256IsBounded(t *testing.T) {
	for length, want := range map[int32]int32{maxDigested: 32, maxDigested + 1: int32(hostfuncs.CodeTooMuch)} {
		module := asking("sha256", nil, 0, roomAt, length, roomAt, 32)
		module.Memory = []uint32{maxDigested>>16 + 1}
		out := askOK(t, load(t, newRuntime(t, Options{}), module.Bytes()), wants{call: Call{Entry: Entry{ABI: Reactor}, Limits: Limits{Memory: 2 * maxDigested}}})
		if got := int32(binary.LittleEndian.Uint32(out.Output)); got != want {
			t.Errorf("%d bytes: got %d, want %d", length, got, want)
		}
	}
}

// A guest that calls sha256 during its start or warm-up is still saved.
func TestStartThatHashesIsSaved(t *testing.T) {
	requireReuse(t)
	const hash = importsOfParts
	want := sha256.Sum256([]byte("a.txt"))
	// The import takes the place of the function recursion, so that all other functions keep their
	// indices.
	build := func(p func(hashes []byte) parts) []byte {
		made := p(wasmtest.Code(wasmtest.Const(atName), wasmtest.Const(5), wasmtest.Const(atScratch), wasmtest.Const(32), wasmtest.CallFunc(hash), []byte{wasmtest.Drop}))
		made.change = func(m *wasmtest.Module) {
			m.Imports = append(m.Imports, wasmtest.Import{Module: reactorModule, Name: "sha256", Type: 4})
			m.Funcs = slices.Delete(m.Funcs, 0, 1)
		}
		return made.bytes()
	}
	shows := wasmtest.Code(calls(outputWrite, atScratch, 32), wasmtest.Const(0))
	for name, tt := range map[string]struct {
		module []byte
		warm   string
	}{
		"in the start section": {module: build(func(h []byte) parts { return parts{section: h, call: shows} })},
		"in _initialize":       {module: build(func(h []byte) parts { return parts{initialize: h, call: shows} })},
		"in the warm-up": {warm: "w", module: build(func(h []byte) parts {
			return parts{call: wasmtest.Code(calls(inputRead, atInput, maxInput), onInput('w', h), shows)}
		})},
	} {
		t.Run(name, func(t *testing.T) {
			m := load(t, newRuntime(t, Options{}), tt.module)
			for n := range 4 {
				out, err := ask(t, m, warm(tt.warm))
				if err != nil || !bytes.Equal(out.Output, want[:]) || out.Reused != (n >= 2) {
					t.Errorf("call %d: %x, reused: %v, %v", n+1, out.Output, out.Reused, err)
				}
			}
		})
	}
}
