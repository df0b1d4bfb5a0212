package runtime

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/files"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime/internal/abi"
)

// bigger grants a directory at /data with a file of 5 bytes and one of 1,000 bytes.
func bigger(t testing.TB) capability.Grant {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"a": "alpha", "large": strings.Repeat("x", 1000)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return capability.Grant{FS: []capability.GrantedFS{{FS: capability.FS{Mount: "data", Mode: capability.ModeRead}, Dir: dir}}}
}

// requests returns a call on which the test makes the requests that a guest would make.
func requests(r *Runtime, b *hostfuncs.Bindings) *abi.Call {
	return abi.NewCall(context.Background(), r.process, abi.Request{Bindings: b})
}

// A request within the limits on names is answered. A request beyond the limits returns an error
// and writes nothing.
func TestBatchesAreLimited(t *testing.T) {
	r, b := newRuntime(t, Options{}), bind(t, capability.Grant{})
	for name, tt := range map[string]struct {
		names string
		room  int
		want  int32
		kind  string
	}{
		"4096 names":          {strings.Repeat("a\x00", 4096), 4096 * answerSize, 4096, ""},
		"4096 names, no room": {strings.Repeat("a\x00", 4096), 4096*answerSize - 1, -4, "too_large"},
		"4097 names":          {strings.Repeat("a\x00", 4097), 1 << 20, -4, "too_large"},
		"1 MiB of names":      {strings.Repeat("x", 1<<20-1) + "\x00", answerSize, 1, ""},
		"more than 1 MiB":     {strings.Repeat("x", 1<<20) + "\x00", 1 << 20, -4, "too_large"},
		"no NUL at the end":   {"a\x00b", 1000, -3, "names"},
	} {
		s, room := requests(r, b), make([]byte, tt.room)
		got := int32(s.Answer(s.Batch([]byte(tt.names), room, func(b files.Batch, _ []byte) []files.Answer { return b.Stat() })))
		s.End()
		if got != tt.want {
			t.Errorf("%s: got %d, want %d", name, got, tt.want)
		}
		if tt.kind != "" && (s.LastError == nil || s.LastError.Kind != tt.kind || !bytes.Equal(room, make([]byte, tt.room))) {
			t.Errorf("%s: the reason is %+v, want %q", name, s.LastError, tt.kind)
		}
	}
}

// NOBUFS means that other files left no room for this file, so the guest should request the file
// again. FBIG means that the file is larger than the whole buffer, so another request would not
// help.
func TestFilesThatDoNotFitAreReported(t *testing.T) {
	r, grant := newRuntime(t, Options{}), bigger(t)
	const names, table, fbig, nobufs = "/data/a\x00/data/large\x00", 2 * answerSize, 22, 42
	for room, want := range map[int32][2]answer{
		table + 1000:     {{kind: 4, size: 5, content: "alpha"}, {errno: nobufs}},
		table + 1000 + 7: {{kind: 4, size: 5, content: "alpha"}, {kind: 4, size: 1000, content: strings.Repeat("x", 1000)}},
		table + 5:        {{errno: nobufs}, {errno: fbig, kind: 4, size: 1000}},
	} {
		m := load(t, r, asking("files_read", []byte(names), room, askedAt, int32(len(names)), -1, roomAt, room).Bytes())
		out := askOK(t, m, wants{grant: grant, call: Call{Entry: Entry{ABI: Reactor}}})
		for i := range want {
			got := answerAt(out.Output[roomAt:], i)
			if got.time = 0; got != want[i] {
				t.Errorf("room of %d: file %d is %+v, want %+v", room, i, got, want[i])
			}
		}
	}
}

func TestFilesWithoutMountsDoNotExist(t *testing.T) {
	const names, room = "/\x00/data\x00/etc/passwd\x00../etc/passwd\x00", 4 * answerSize
	m := load(t, newRuntime(t, Options{}), asking("files_stat", []byte(names), room, askedAt, int32(len(names)), roomAt, room).Bytes())
	out := askOK(t, m, wants{call: Call{Entry: Entry{ABI: Reactor}}})
	for i, want := range []answer{{kind: 3}, {errno: 44}, {errno: 44}, {errno: 63}} {
		if got := answerAt(out.Output[roomAt:], i); got != want {
			t.Errorf("file %d: got %+v, want %+v", i, got, want)
		}
	}
}

// A warm-up sees no files, because all calls share its effects. The call after it sees them.
func TestWarmUpSeesNoFiles(t *testing.T) {
	requireReuse(t)
	const names, room, savedAt = "/data/a\x00", 100, 1000
	for function, args := range map[string][]int32{
		"files_stat": {askedAt, int32(len(names)), roomAt, room},
		"files_list": {askedAt, int32(len(names)), roomAt, room},
		"files_read": {askedAt, int32(len(names)), 10, roomAt, room},
	} {
		module := asking(function, []byte(names), 0, args...)
		// The guest keeps the first result of the function, and also writes it.
		asks := module.Funcs[0].Body[:len(module.Funcs[0].Body)-len(wasmtest.Const(0))]
		module.Funcs[0].Body = wasmtest.Code(
			asks, when(wasmtest.Code(loads(savedAt), []byte{i32Eqz}), stores(savedAt, loads(0))),
			calls(outputWrite, savedAt, 4), wasmtest.Const(0),
		)
		m := load(t, newRuntime(t, Options{}), module.Bytes())
		for range 3 {
			out := askOK(t, m, wants{grant: bigger(t), call: Call{Entry: Entry{ABI: Reactor}, Warm: []byte("w")}})
			now, before := int32(binary.LittleEndian.Uint32(out.Output)), int32(binary.LittleEndian.Uint32(out.Output[roomAt:]))
			if now != 1 || before != int32(hostfuncs.CodeDenied) {
				t.Errorf("%s: %d in the call and %d in the warm-up, want 1 and %d", function, now, before, hostfuncs.CodeDenied)
			}
		}
	}
}

// Every request gets either an error code, or one answer for each name. All answers are inside the
// guest's buffer.
func FuzzBatchRequest(f *testing.F) {
	b, r := bind(f, bigger(f)), newRuntime(f, Options{})
	f.Add([]byte("/data/a\x00/data\x00"), uint16(1000), uint32(100), byte(0))
	f.Add([]byte("/data/large\x00data\x00\x00"), uint16(96), uint32(1<<31), byte(1))
	f.Add([]byte("/data/large\x00/data/a\x00/data/a"), uint16(70), uint32(5), byte(2))
	f.Add(bytes.Repeat([]byte{0}, 5000), uint16(1<<16-1), uint32(0), byte(2))
	f.Fuzz(func(t *testing.T, names []byte, size uint16, maxSize uint32, kind byte) {
		s, room := requests(r, b), make([]byte, size)
		defer s.End()
		code := int32(s.Answer(s.Batch(names, room, func(b files.Batch, room []byte) []files.Answer {
			switch kind % 3 {
			case 0:
				return b.Stat()
			case 1:
				return b.List(room)
			}
			return b.Read(int(maxSize), room)
		})))
		if code < 0 {
			if s.LastError == nil || s.LastError.Message == "" || !bytes.Equal(room, make([]byte, size)) {
				t.Errorf("code %d for the reason %+v", code, s.LastError)
			}
			return
		}
		if want := bytes.Count(names, []byte{0}); int(code) != want {
			t.Fatalf("%d answers for %d names", code, want)
		}
		for i := range int(code) {
			at := binary.LittleEndian.Uint32(room[i*answerSize+24:])
			if a := answerAt(room, i); a.content != "" && (int(at) < int(code)*answerSize || a.errno != 0) {
				t.Errorf("answer %d is %+v at %d in a room of %d", i, a, at, size)
			}
		}
	})
}
