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
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// editable grants a directory at /w, writable except for names that end in .secret, and a read-only
// directory at /ro. It returns the path of the first directory on the host.
func editable(t testing.TB) (string, capability.Grant) {
	t.Helper()
	w, ro := t.TempDir(), t.TempDir()
	for _, dir := range []string{w, ro} {
		for _, name := range []string{"f", "d/g"} {
			file := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("old"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return w, capability.Grant{FS: []capability.GrantedFS{
		{FS: capability.FS{Mount: "w", Mode: capability.ModeWrite, Deny: []string{"**/*.secret"}}, Dir: w},
		{FS: capability.FS{Mount: "ro", Mode: capability.ModeRead}, Dir: ro},
	}}
}

// record returns the answer for a file as the guest's memory contains it.
func record(a answer) []byte {
	b := make([]byte, answerSize)
	le := binary.LittleEndian
	le.PutUint32(b, a.errno)
	le.PutUint32(b[4:], a.kind)
	le.PutUint64(b[8:], a.size)
	le.PutUint64(b[16:], a.time)
	return b
}

// recordOf returns the record of a file on the host.
func recordOf(t testing.TB, file string) []byte {
	t.Helper()
	info, err := os.Lstat(file)
	if err != nil {
		t.Fatal(err)
	}
	return record(answer{kind: 4, size: uint64(info.Size()), time: uint64(info.ModTime().UnixNano())})
}

// replacing is a reactor that replaces a file and writes the result. A nil seen means that the file
// must not exist; an empty seen allows any state.
func replacing(name string, seen []byte, content string) wasmtest.Module {
	at, seenSize := int32(askedAt), int32(len(seen))
	if seen == nil {
		seenSize = -1
	}
	seenAt := at + int32(len(name))
	contentAt := seenAt + int32(len(seen))
	asked := append(append([]byte(name), seen...), content...)
	return asking("files_replace", asked, 0, at, int32(len(name)), seenAt, seenSize, contentAt, int32(len(content)))
}

// code returns the result that a guest wrote.
func code(out Output) int32 { return int32(binary.LittleEndian.Uint32(out.Output)) }

// whatever allows any state of the file.
var whatever = []byte{}

func TestReplacingFilesReturnsErrno(t *testing.T) {
	r := newRuntime(t, Options{})
	right := func(t testing.TB, w string) []byte { return recordOf(t, filepath.Join(w, "f")) }
	is := func(b []byte) func(testing.TB, string) []byte {
		return func(testing.TB, string) []byte { return b }
	}
	missing := record(answer{errno: 44})
	for _, tt := range []struct {
		name, path string
		seen       func(t testing.TB, w string) []byte
		want       int32
	}{
		{"as seen", "/w/f", right, 0},
		{"whatever is there", "/w/f", is(whatever), 0},
		{"whatever is there, nothing is", "/w/new", is(whatever), 0},
		{"nothing seen", "/w/new", is(nil), 0},
		{"seen as missing", "/w/new", is(missing), 0},
		{"a relative path", "w/d/../f", right, 0},
		{"nothing seen, but exists", "/w/f", is(nil), 72},
		{"seen as missing, but exists", "/w/f", is(missing), 72},
		{"seen, and gone", "/w/new", right, 72},
		{"of another size", "/w/f", is(record(answer{kind: 4, size: 4})), 72},
		{"of a size below zero", "/w/f", is(record(answer{kind: 4, size: 1 << 63})), 72},
		{"of another time", "/w/f", is(record(answer{kind: 4, size: 3, time: 1})), 72},
		{"a directory", "/w/d", is(whatever), 31},
		{"the mount", "/w", is(nil), 31},
		{"a file with a slash", "/w/f/", right, 31},
		{"for reading", "/ro/f", is(whatever), 69},
		{"outside the mounts", "/new", is(nil), 69},
		{"the root", "/", is(whatever), 69},
		{"denied", "/w/d/a.secret", is(whatever), 2},
		{"denied, seen", "/w/f.SECRET", right, 2},
		{"outside", "/../etc/passwd", is(whatever), 63},
		{"outside by way of a mount", "/w/../../etc/passwd", is(nil), 63},
		{"below nothing", "/w/none/f", is(nil), 44},
		{"below a file", "/w/f/x", is(whatever), 54},
		{"no name", "", is(whatever), 28},
		{"NUL", "/w/f\x00", right, 28},
		{"invalid UTF-8", "/w/f\xff", is(whatever), 28},
		{"a long name", "/w/" + strings.Repeat("x", 256), is(whatever), 37},
		{"a long path", strings.Repeat("/w/..", 820) + "/w/f", is(whatever), 37},
		{"too large a file", "/w/large", is(whatever), 68},
		{"a record and a byte less", "/w/f", is(missing[1:]), int32(hostfuncs.CodeInvalid)},
		{"a record and a byte more", "/w/f", is(append(missing, 0)), int32(hostfuncs.CodeInvalid)},
		{"two records", "/w/f", is(append(missing, missing...)), int32(hostfuncs.CodeInvalid)},
		{"seen as a directory", "/w/d", is(record(answer{kind: 3})), int32(hostfuncs.CodeInvalid)},
		{"seen as a link", "/w/f", is(record(answer{kind: 7, size: 3})), int32(hostfuncs.CodeInvalid)},
		{"seen of no type", "/w/f", is(make([]byte, answerSize)), int32(hostfuncs.CodeInvalid)},
		{"seen with another error", "/w/f", is(record(answer{errno: 2})), int32(hostfuncs.CodeInvalid)},
		{"seen that it is too large to read", "/w/f", is(record(answer{errno: 22, kind: 4, size: 3})), int32(hostfuncs.CodeInvalid)},
		{"a bad record of what is denied", "/w/a.secret", is(missing[1:]), int32(hostfuncs.CodeInvalid)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, grant := editable(t)
			content := "mine"
			if tt.want == 68 {
				content = strings.Repeat("x", 1001)
			}
			b, err := hostfuncs.Bind(grant, files.Options{MaxFileSize: 1000}, hostfuncs.Services{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { b.Close() })
			m := load(t, r, replacing(tt.path, tt.seen(t, w), content).Bytes())
			out, err := m.Call(t.Context(), Call{Entry: Entry{ABI: Reactor}, Bindings: b})
			if err != nil {
				t.Fatal(err)
			}
			if got := code(out); got != tt.want {
				t.Fatalf("it returned %d, want %d", got, tt.want)
			}
			want := map[string]string{"f": "old", "d/g": "old"}
			if tt.want == 0 {
				want[filepath.Base(tt.path)] = "mine"
			}
			requireFiles(t, w, want)
		})
	}
}

// requireFiles fails the test unless a directory of the host contains exactly these files.
func requireFiles(t testing.TB, dir string, want map[string]string) {
	t.Helper()
	there := map[string]bool{}
	err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		rel = filepath.ToSlash(rel)
		there[rel] = true
		content, readErr := os.ReadFile(name)
		if _, ok := want[rel]; !ok || string(content) != want[rel] {
			t.Errorf("%s contains %.60q, want %.60q", rel, content, want[rel])
		}
		return errors.Join(err, readErr)
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		if !there[name] {
			t.Errorf("%s does not exist", name)
		}
	}
}

// The error for an invalid request describes a valid request.
func TestInvalidReplaceExplainsValidOne(t *testing.T) {
	w, grant := editable(t)
	s := requests(newRuntime(t, Options{}), bind(t, grant))
	defer s.End()
	got := int32(s.Answer(s.ReplaceFile([]byte("/w/f"), make([]byte, 3), []byte("mine"))))
	if got != int32(hostfuncs.CodeInvalid) || s.LastError == nil || s.LastError.Kind != "seen" || !strings.Contains(s.LastError.Message, "32-byte") {
		t.Errorf("got %d, %+v", got, s.LastError)
	}
	requireFiles(t, w, map[string]string{"f": "old", "d/g": "old"})
}

// A warm-up replaces no file, because all calls share its effects. The call after it replaces the
// file.
func TestWarmUpReplacesNoFile(t *testing.T) {
	requireReuse(t)
	const savedAt = 1000
	module := replacing("/w/f", whatever, "mine")
	// The guest keeps the first result of the function, and also writes it.
	asks := module.Funcs[0].Body[:len(module.Funcs[0].Body)-len(wasmtest.Const(0))]
	module.Funcs[0].Body = wasmtest.Code(
		asks, when(wasmtest.Code(loads(savedAt), []byte{i32Eqz}), stores(savedAt, loads(0))),
		calls(outputWrite, savedAt, 4), wasmtest.Const(0),
	)
	m := load(t, newRuntime(t, Options{}), module.Bytes())
	for range 3 {
		w, grant := editable(t)
		out := askOK(t, m, wants{grant: grant, call: Call{Entry: Entry{ABI: Reactor}, Warm: []byte("w")}})
		before := int32(binary.LittleEndian.Uint32(out.Output[roomAt:]))
		if code(out) != 0 || before != int32(hostfuncs.CodeDenied) {
			t.Errorf("%d in the call and %d in the warm-up, want 0 and %d", code(out), before, hostfuncs.CodeDenied)
		}
		requireFiles(t, w, map[string]string{"f": "mine", "d/g": "old"})
	}
}

func TestReplacingWithoutMountsFails(t *testing.T) {
	m := load(t, newRuntime(t, Options{}), replacing("/w/f", whatever, "mine").Bytes())
	if out := askOK(t, m, wants{call: Call{Entry: Entry{ABI: Reactor}}}); code(out) != 69 {
		t.Errorf("it returned %d, want 69", code(out))
	}
}

// The host reads nothing outside the guest's memory. The content may be anywhere inside that
// memory.
func TestReplacingChecksRanges(t *testing.T) {
	const gone, name, content = 1 << 16, "/w/f", "mine"
	nameSize, contentAt, size := int32(len(name)), int32(askedAt+len(name)), int32(len(content))
	r := newRuntime(t, Options{})
	for _, tt := range []struct {
		name   string
		args   [6]int32
		want   int32
		reason Reason
		file   string
	}{
		{"all in order", [6]int32{askedAt, nameSize, 0, 0, contentAt, size}, 0, "", content},
		{"no content at the end of memory", [6]int32{askedAt, nameSize, 0, 0, gone, 0}, 0, "", ""},
		{"seen of nothing at the end of memory", [6]int32{askedAt, nameSize, gone, 0, contentAt, size}, 0, "", content},
		{"nothing seen, wherever it is", [6]int32{askedAt, nameSize, -1, -1, contentAt, size}, 72, "", "old"},
		{"the content is the name", [6]int32{askedAt, nameSize, 0, 0, askedAt, nameSize}, 0, "", name},
		{"the content begins in the name", [6]int32{askedAt, nameSize, 0, 0, askedAt + 2, 6}, 0, "", "/fmine"},
		{"seen is the content", [6]int32{askedAt, nameSize, contentAt, answerSize, contentAt, answerSize}, -3, "", "old"},
		{"name beyond memory", [6]int32{gone - 1, 2, 0, 0, contentAt, size}, 0, BadGuest, "old"},
		{"no name beyond memory", [6]int32{gone + 1, 0, 0, 0, contentAt, size}, 0, BadGuest, "old"},
		{"seen beyond memory", [6]int32{askedAt, nameSize, gone - answerSize + 1, answerSize, contentAt, size}, 0, BadGuest, "old"},
		{"seen of nothing beyond memory", [6]int32{askedAt, nameSize, gone + 1, 0, contentAt, size}, 0, BadGuest, "old"},
		{"seen of almost 4 GiB", [6]int32{askedAt, nameSize, 0, -2, contentAt, size}, 0, BadGuest, "old"},
		{"content beyond memory", [6]int32{askedAt, nameSize, 0, 0, gone - 3, 4}, 0, BadGuest, "old"},
		{"a name of 4 GiB", [6]int32{askedAt, -1, 0, 0, contentAt, size}, 0, BadGuest, "old"},
		{"a content of 4 GiB", [6]int32{askedAt, nameSize, 0, 0, contentAt, -1}, 0, BadGuest, "old"},
		{"all of it from the end of the address space", [6]int32{-1, 1, -1, 1, -1, 1}, 0, BadGuest, "old"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, grant := editable(t)
			m := load(t, r, asking("files_replace", []byte(name+content), 0, tt.args[:]...).Bytes())
			out, err := ask(t, m, wants{grant: grant, call: Call{Entry: Entry{ABI: Reactor}}})
			if got := reasonOf(t, err); got != tt.reason {
				t.Fatalf("got %q (%v), want %q", got, err, tt.reason)
			}
			if err == nil && code(out) != tt.want {
				t.Errorf("it returned %d, want %d", code(out), tt.want)
			}
			requireFiles(t, w, map[string]string{"f": tt.file, "d/g": "old"})
		})
	}

	// All of the guest's memory is valid content, and a name of 1 MiB is too long.
	w, grant := editable(t)
	whole := load(t, r, asking("files_replace", []byte(name), 0, askedAt, nameSize, 0, 0, 0, gone).Bytes())
	if out := askOK(t, whole, wants{grant: grant, call: Call{Entry: Entry{ABI: Reactor}}}); code(out) != 0 {
		t.Errorf("its memory: it returned %d", code(out))
	}
	if got, err := os.ReadFile(filepath.Join(w, "f")); err != nil || len(got) != gone || !bytes.HasPrefix(got[askedAt:], []byte(name)) {
		t.Errorf("its memory arrived as %d bytes, %v", len(got), err)
	}
	large := asking("files_replace", nil, 0, 0, 1<<20, 0, -1, 0, 0)
	large.Memory = []uint32{17}
	if out := askOK(t, load(t, r, large.Bytes()), wants{grant: grant, call: Call{Entry: Entry{ABI: Reactor}}}); code(out) != 37 {
		t.Errorf("a name of 1 MiB: it returned %d", code(out))
	}
}
