package runtime

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// Addresses in the memory of test guests: of the request, and of the buffer for the answer.
const (
	askedAt = 40_000
	roomAt  = 8
)

// asking is a reactor that calls a host function with the given numbers. The reactor writes the
// result of the function, and the first bytes of its buffer.
func asking(function string, asked []byte, room int32, args ...int32) wasmtest.Module {
	m := reactor("")
	var params []byte
	var push [][]byte
	for _, arg := range args {
		params = append(params, wasmtest.I32)
		push = append(push, wasmtest.Const(arg))
	}
	m.Types = append(m.Types, wasmtest.FuncType{Params: params, Results: []byte{wasmtest.I32}})
	m.Imports = append(m.Imports, wasmtest.Import{Module: reactorModule, Name: function, Type: 3})
	m.Funcs[0].Body = wasmtest.Code(
		wasmtest.Const(0), wasmtest.Code(push...), wasmtest.CallFunc(4), []byte{wasmtest.I32Store, 2, 0},
		with(outputWrite, 0, roomAt+room), wasmtest.Const(0))
	m.Exports[0].Index = 5
	m.Data = []wasmtest.Data{{Offset: askedAt, Bytes: asked}}
	return m
}

// answer is the answer for one file in a guest's buffer.
type answer struct {
	errno, kind uint32
	size, time  uint64
	content     string
}

func answerAt(room []byte, i int) answer {
	le := binary.LittleEndian
	b := room[i*answerSize:]
	a := answer{errno: le.Uint32(b), kind: le.Uint32(b[4:]), size: le.Uint64(b[8:]), time: le.Uint64(b[16:])}
	offset, size := le.Uint32(b[24:]), le.Uint32(b[28:])
	a.content = string(room[offset : offset+size])
	return a
}

func TestBatchesOfFiles(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"a": "hello", "d/b": "below", "large": strings.Repeat("x", 1000)} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	grant := capability.Grant{FS: []capability.GrantedFS{{FS: capability.FS{Mount: "w", Mode: capability.ModeRead}, Dir: dir}}}
	const maxSize, room = 100, 2000
	names := func(all ...string) []byte { return []byte(strings.Join(all, "\x00") + "\x00") }
	asked := names("/w/a", "w/d/b", "/w/large", "/w/none", "/w/d", "/etc/passwd", "", "../w/a")
	size := int32(len(asked))
	r := newRuntime(t, Options{})

	for _, tt := range []struct {
		function string
		args     []int32
		want     []answer // times are not compared
	}{
		{"files_read", []int32{askedAt, size, maxSize, roomAt, room}, []answer{
			{kind: 4, size: 5, content: "hello"},
			{kind: 4, size: 5, content: "below"},
			{errno: 22, kind: 4, size: 1000},
			{errno: 44},
			{errno: 31},
			{errno: 44},
			{errno: 28},
			{errno: 63},
		}},
		{"files_stat", []int32{askedAt, size, roomAt, room}, []answer{
			{kind: 4, size: 5},
			{kind: 4, size: 5},
			{kind: 4, size: 1000},
			{errno: 44},
			{kind: 3},
			{errno: 44},
			{errno: 28},
			{errno: 63},
		}},
		{"files_list", []int32{askedAt, size, roomAt, room}, []answer{
			{errno: 54},
			{errno: 54},
			{errno: 54},
			{errno: 44},
			{kind: 3, content: "\x04\x01b"},
			{errno: 44},
			{errno: 28},
			{errno: 63},
		}},
	} {
		t.Run(tt.function, func(t *testing.T) {
			m := load(t, r, asking(tt.function, asked, room, tt.args...).Bytes())
			for range 2 {
				out, err := m.Call(t.Context(), Call{Entry: Entry{ABI: Reactor}, Bindings: bind(t, grant)})
				if err != nil {
					t.Fatal(err)
				}
				if n := binary.LittleEndian.Uint32(out.Output); n != uint32(len(tt.want)) {
					t.Fatalf("it returned %d, want %d", int32(n), len(tt.want))
				}
				for i, want := range tt.want {
					got := answerAt(out.Output[roomAt:], i)
					hasTime := got.time != 0
					got.time = 0
					if want.kind == 3 {
						got.size, want.size = 0, 0 // the size of a directory depends on the host
					}
					if got != want {
						t.Errorf("file %d: got %+v, want %+v", i, got, want)
					}
					if want.errno == 0 && tt.function != "files_list" && !hasTime {
						t.Errorf("file %d: no time is reported", i)
					}
				}
			}
		})
	}

	// An invalid request is refused as a whole, or ends the call.
	const gone = 1 << 16
	for _, tt := range []struct {
		name     string
		function string
		asked    []byte
		args     []int32
		want     int32
		reason   Reason
	}{
		{"no name", "files_read", nil, []int32{askedAt, 0, maxSize, roomAt, room}, 0, ""},
		{"no room and no name", "files_read", nil, []int32{askedAt, 0, maxSize, roomAt, 0}, 0, ""},
		{"a name without its end", "files_read", []byte("/w/a\x00/w/a"), []int32{askedAt, 9, maxSize, roomAt, room}, -3, ""},
		{"room for no answer", "files_read", asked, []int32{askedAt, size, maxSize, roomAt, 8*answerSize - 1}, -4, ""},
		{"room for the answers alone", "files_read", asked, []int32{askedAt, size, maxSize, roomAt, 8 * answerSize}, 8, ""},
		{"more names than allowed", "files_stat", make([]byte, maxBatchNames+1), []int32{askedAt, maxBatchNames + 1, 0, gone}, -4, ""},
		{"names in the room", "files_read", asked, []int32{askedAt, size, maxSize, askedAt - 300, 1000}, 8, ""},
		{"room beyond memory", "files_read", asked, []int32{askedAt, size, maxSize, gone - 10, 11}, 0, BadGuest},
		{"names beyond memory", "files_list", asked, []int32{gone - 1, 2, roomAt, room}, 0, BadGuest},
		{"lengths of 4 GiB", "files_stat", asked, []int32{askedAt, -1, roomAt, -1}, 0, BadGuest},
		{"a maxSize of 4 GiB", "files_read", asked, []int32{askedAt, size, -1, roomAt, room}, 8, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := load(t, r, asking(tt.function, tt.asked, 0, tt.args...).Bytes())
			out, err := m.Call(t.Context(), Call{Entry: Entry{ABI: Reactor}, Bindings: bind(t, grant)})
			if got := reasonOf(t, err); got != tt.reason {
				t.Fatalf("got %q (%v), want %q", got, err, tt.reason)
			}
			if err == nil && int32(binary.LittleEndian.Uint32(out.Output)) != tt.want {
				t.Errorf("it returned %d, want %d", int32(binary.LittleEndian.Uint32(out.Output)), tt.want)
			}
		})
	}
}
