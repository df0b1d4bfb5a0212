package runtime

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// writable grants a folder at /w with a file a of five bytes for writing, and one at /r for
// reading.
func writable(t testing.TB) (dir string, grant capability.Grant) {
	t.Helper()
	dir, other := t.TempDir(), t.TempDir()
	for _, name := range []string{filepath.Join(dir, "a"), filepath.Join(other, "a")} {
		if err := os.WriteFile(name, []byte("alpha"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir, capability.Grant{FS: []capability.GrantedFS{
		{FS: capability.FS{Mount: "w", Mode: capability.ModeWrite}, Dir: dir},
		{FS: capability.FS{Mount: "r", Mode: capability.ModeRead}, Dir: other},
	}}
}

// replacing is a reactor that asks to replace a file. The lengths are those of the texts, but
// for lengths that are given.
func replacing(name string, seen []byte, content string, lengths map[int]int32) wasmtest.Module {
	asked := append(append([]byte(name), seen...), content...)
	at := int32(askedAt)
	args := []int32{at, int32(len(name)), at + int32(len(name)), int32(len(seen)), at + int32(len(name)+len(seen)), int32(len(content))}
	for i, length := range lengths {
		args[i] = length
	}
	return asking("files_replace", asked, 0, args...)
}

// record is what a guest got of a file, with these fields.
func record(errno, kind uint32, size uint64, modTime int64) []byte {
	b := make([]byte, answerSize)
	le := binary.LittleEndian
	le.PutUint32(b, errno)
	le.PutUint32(b[4:], kind)
	le.PutUint64(b[8:], size)
	le.PutUint64(b[16:], uint64(modTime))
	return b
}

func TestReplaceFile(t *testing.T) {
	const regular, gone = 4, -1 // 2^32-1
	r := newRuntime(t, Options{})
	for _, tt := range []struct {
		what, name string
		seen       func(size uint64, modTime int64) []byte // nil for whatever is there
		lengths    map[int]int32
		want       int32
		kind       string // of the fault
		reason     Reason
	}{
		{what: "whatever is there", name: "/w/a"},
		{what: "from the root", name: "w/a"},
		{what: "a new file", name: "/w/b"},
		{what: "what was seen", name: "/w/a", seen: func(size uint64, at int64) []byte { return record(0, regular, size, at) }},
		{what: "nothing was seen", name: "/w/b", seen: func(uint64, int64) []byte { return record(44, 0, 0, 0) }},
		{what: "nothing may be there", name: "/w/b", lengths: map[int]int32{3: gone}},

		{what: "another size", name: "/w/a", seen: func(size uint64, at int64) []byte { return record(0, regular, size+1, at) }, want: 72},
		{what: "another time", name: "/w/a", seen: func(size uint64, at int64) []byte { return record(0, regular, size, at-1) }, want: 72},
		{what: "something is there", name: "/w/a", lengths: map[int]int32{3: gone}, want: 72},
		{what: "something came", name: "/w/a", seen: func(uint64, int64) []byte { return record(44, 0, 0, 0) }, want: 72},
		{what: "it is gone", name: "/w/b", seen: func(size uint64, at int64) []byte { return record(0, regular, size, at) }, want: 72},
		{what: "a folder", name: "/w/d", want: 31},
		{what: "below a file", name: "/w/a/b", want: 54},
		{what: "below nothing", name: "/w/none/b", want: 44},
		{what: "for reading", name: "/r/a", want: 69},
		{what: "beside the mounts", name: "/b", want: 69},
		{what: "outside", name: "/../w/a", want: 63},
		{what: "no name", name: "", want: 28},
		{what: "a NUL in the name", name: "/w/a\x00", want: 28},
		{what: "a long name", name: "/w/" + strings.Repeat("n", 5000), want: 37},

		{what: "seen is cut", name: "/w/a", seen: func(uint64, int64) []byte { return make([]byte, answerSize-1) }, want: -3, kind: "seen"},
		{what: "seen is long", name: "/w/a", seen: func(uint64, int64) []byte { return make([]byte, answerSize+1) }, want: -3, kind: "seen"},
		{what: "seen with another error", name: "/w/a", seen: func(uint64, int64) []byte { return record(2, 0, 0, 0) }, want: -3, kind: "seen"},
		{what: "a folder was seen", name: "/w/a", seen: func(uint64, int64) []byte { return record(0, 3, 0, 0) }, want: -3, kind: "seen"},

		{what: "a name beyond memory", name: "/w/a", lengths: map[int]int32{1: 1 << 30}, reason: BadGuest},
		{what: "seen beyond memory", name: "/w/a", lengths: map[int]int32{2: -10, 3: answerSize}, reason: BadGuest},
		{what: "content beyond memory", name: "/w/a", lengths: map[int]int32{5: -1}, reason: BadGuest},
	} {
		t.Run(tt.what, func(t *testing.T) {
			dir, grant := writable(t)
			var seen []byte
			if tt.seen != nil {
				info, err := os.Stat(filepath.Join(dir, "a"))
				if err != nil {
					t.Fatal(err)
				}
				seen = tt.seen(uint64(info.Size()), info.ModTime().UnixNano())
			}
			m := load(t, r, replacing(tt.name, seen, "the new content", tt.lengths).Bytes())
			out, err := m.Call(t.Context(), Call{Entry: Entry{ABI: Reactor}, Bindings: bind(t, grant)})
			if got := reasonOf(t, err); got != tt.reason {
				t.Fatalf("got %q (%v), want %q", got, err, tt.reason)
			}
			if err == nil && int32(binary.LittleEndian.Uint32(out.Output)) != tt.want {
				t.Fatalf("it returned %d, want %d", int32(binary.LittleEndian.Uint32(out.Output)), tt.want)
			}
			done := tt.want == 0 && tt.reason == ""
			want := map[string]string{"a": "alpha", "d": ""}
			if done {
				want[strings.TrimPrefix(strings.TrimPrefix(tt.name, "/"), "w/")] = "the new content"
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				content, _ := os.ReadFile(filepath.Join(dir, e.Name())) // of a folder nothing
				if wanted, ok := want[e.Name()]; !ok || wanted != string(content) {
					t.Errorf("there is %s with %q, want %q", e.Name(), content, want)
				}
			}
			if len(entries) != len(want) {
				t.Errorf("there are %d files, want %q", len(entries), want)
			}
		})
	}
}

// The limits of a call hold, and say which they are.
func TestReplaceIsLimited(t *testing.T) {
	_, grant := writable(t)
	b, err := hostfuncs.Bind(grant, hostfuncs.Options{MaxFileSize: 4}, hostfuncs.Services{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	s := requests(newRuntime(t, Options{}), b)
	defer s.end()
	if errno, err := s.replaceFile([]byte("/w/a"), []byte{}, []byte("12345")); errno != 68 || err != nil {
		t.Errorf("got %d, %v", errno, err)
	}
	if got := b.Files.LimitHit(); got != "bytes of a file (4)" {
		t.Errorf("LimitHit %q", got)
	}
}

// A warm-up, which is for the calls of everybody, replaces nothing.
func TestReplaceIsDeniedInAWarmUp(t *testing.T) {
	dir, grant := writable(t)
	s := requests(newRuntime(t, Options{}), bind(t, grant))
	defer s.end()
	s.isWarmUp = true
	var fault *hostfuncs.Fault
	if _, err := s.replaceFile([]byte("/w/a"), []byte{}, []byte("mine")); !errors.As(err, &fault) || fault.Code != hostfuncs.FaultDenied {
		t.Errorf("got %v", err)
	}
	if content, err := os.ReadFile(filepath.Join(dir, "a")); string(content) != "alpha" || err != nil {
		t.Errorf("the file holds %q, %v", content, err)
	}
}

// Whatever a guest asks for, it gets a code with a reason, or a number of WASI, and what it did
// not do is not there.
func FuzzReplaceRequest(f *testing.F) {
	dir, grant := writable(f)
	b, err := hostfuncs.Bind(grant, hostfuncs.Options{MaxCreated: 1 << 30, MaxWritten: 1 << 50}, hostfuncs.Services{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { b.Close() })
	r := newRuntime(f, Options{})
	f.Add([]byte("/w/a"), []byte{}, []byte("x"), false)
	f.Add([]byte("/w/d/b"), []byte{}, []byte{}, true)
	f.Add([]byte("w/d/../c"), record(44, 0, 0, 0), []byte("y"), false)
	f.Add([]byte("/w/a"), record(0, 4, 5, 0), []byte("z"), false)
	f.Add([]byte("/r/a"), record(0, 7, 5, 0), []byte("z"), false)
	f.Fuzz(func(t *testing.T, name, seen, content []byte, absent bool) {
		s := requests(r, b)
		defer s.end()
		if absent {
			seen = nil
		} else if seen == nil {
			seen = []byte{}
		}
		code := int32(s.attempt(func() (uint32, error) { return s.replaceFile(name, seen, content) }))
		switch {
		case code < 0 && (s.fault == nil || s.fault.Message == ""):
			t.Errorf("code %d for the reason %+v", code, s.fault)
		case code > 100:
			t.Errorf("%d is no number of WASI", code)
		case code == 0:
			got, err := b.Files.View("/").Lstat(string(name))
			if err != nil || got.Size() != int64(len(content)) {
				t.Fatalf("%q: %v, %v", name, got, err)
			}
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if bytes.HasPrefix([]byte(e.Name()), []byte(hostfuncs.TempPrefix)) && !bytes.Contains(name, []byte(hostfuncs.TempPrefix)) {
				t.Errorf("%s is left", e.Name())
			}
		}
	})
}
