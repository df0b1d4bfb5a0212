//go:build unix

package hostfuncs_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// roomy is enough room for what the tests read and list.
const roomy = 1 << 20

// entry is what a listing says of an entry.
type entry struct {
	name string
	kind byte
}

func entries(t testing.TB, content []byte) []entry {
	t.Helper()
	var list []entry
	for rest := content; len(rest) > 0; {
		if len(rest) < 2 || len(rest) < 2+int(rest[1]) {
			t.Fatalf("half an entry: %q", rest)
		}
		end := 2 + int(rest[1])
		list = append(list, entry{string(rest[2:end]), rest[0]})
		rest = rest[end:]
	}
	return list
}

// sameError reports whether two errors say the same to a guest.
func sameError(a, b error) bool {
	var x, y *fs.PathError
	if errors.As(a, &x) {
		a = x.Err
	}
	if errors.As(b, &y) {
		b = y.Err
	}
	return a == b
}

// checkBatch compares what a batch says of files with what is said of each alone.
func checkBatch(t *testing.T, files *hostfuncs.FS, names []string) {
	t.Helper()
	view := files.View("/")
	batch := files.Batch(t.Context(), names)

	for i, a := range batch.Stat() {
		info, err := view.Lstat(names[i])
		switch {
		case !sameError(a.Err, err):
			t.Errorf("stat %q: %v, alone %v", names[i], a.Err, err)
		case err == nil && (a.Size != info.Size() || !a.ModTime.Equal(info.ModTime())):
			t.Errorf("stat %q: %+v, alone %v %v", names[i], a, info.Size(), info.ModTime())
		case err == nil && hostfuncs.WASIType(a.Type) != hostfuncs.WASIType(info.Mode()):
			t.Errorf("stat %q: the type is %v, alone %v", names[i], a.Type, info.Mode())
		}
	}
	room := make([]byte, roomy)
	for i, a := range batch.Read(roomy, room) {
		content, err := readFile(view, names[i])
		if !sameError(a.Err, err) || string(a.Content) != content {
			t.Errorf("read %q: %q, %v, alone %q, %v", names[i], a.Content, a.Err, content, err)
		}
		if string(room[a.Offset:a.Offset+len(a.Content)]) != string(a.Content) {
			t.Errorf("read %q: it is not where it says", names[i])
		}
	}
	for i, a := range batch.List(room) {
		f, err := view.Open(names[i], hostfuncs.OpenDirectory)
		var want []entry
		if err == nil {
			var listed []fs.DirEntry
			listed, err = f.ReadDir(-1)
			for _, e := range listed {
				want = append(want, entry{e.Name(), byte(hostfuncs.WASIType(e.Type()))})
			}
			slices.SortFunc(want, func(a, b entry) int { return strings.Compare(a.name, b.name) })
			_ = f.Close()
		}
		if got := entries(t, a.Content); !sameError(a.Err, err) || !slices.Equal(got, want) {
			t.Errorf("list %q: %v, %v, alone %v, %v", names[i], got, a.Err, want, err)
		}
	}
}

// A batch says of each file what is said of it alone, and shows no more.
func TestBatchIsWhatEachFileIsAlone(t *testing.T) {
	ws := hostile(t)
	write(t, ws, map[string]string{"empty": "", "d/deep/secret.key": canary, "private/x": canary, "uni/ä ö.txt": "ü"})
	other := t.TempDir()
	write(t, other, map[string]string{"a": "in the other", "b/c": "below"})
	var names []string
	for _, a := range attacks {
		names = append(names, "/workspace/"+a.path, a.path)
	}
	for _, name := range []string{
		"", "f", "d", "d/", "d/g", "d/deep", "d/deep/h", "./d//g", "d/../f", "in", "indir", "indir/g", "indir/deep/h", "d/sibling", "dots", "empty",
		"d/deep/secret.key", "D/deep/secret.key", "private", "private/x", "uni/ä ö.txt", "no", "no/such", "f/x", "fifo", "sock", "up", "loop",
	} {
		names = append(names, "workspace/"+name, "/workspace/"+name, "/other/../workspace/"+name)
	}
	names = append(names, "/", ".", "", "/other", "other/a", "/other/b", "/other/b/c", "/tmp", "/tmp/x", "/nowhere", "/workspace-evil/f", "/..")
	for name, deny := range map[string][]string{"plain": nil, "deny": {"private/**", "**/*.key"}} {
		t.Run(name, func(t *testing.T) {
			files := newFS(t, read("workspace", ws, deny...), readWrite("other", other), scratch())
			if err := writeFile(files.View("/"), "/tmp/x", "scratch"); err != nil {
				t.Fatal(err)
			}
			checkBatch(t, files, names)
			// Neighbours of which the quick way has one folder open, in whatever order.
			slices.Sort(names)
			checkBatch(t, files, names)
			for _, a := range files.Batch(t.Context(), names).Read(roomy, make([]byte, roomy)) {
				if deny != nil && strings.Contains(string(a.Content), canary) {
					t.Errorf("a denied file was read: %+v", a)
				}
			}
		})
	}
}

func TestBatchOfUnreadableFiles(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("permissions do not bind root")
	}
	ws := t.TempDir()
	write(t, ws, map[string]string{"f": "x", "d/f": "x"})
	for name, mode := range map[string]fs.FileMode{"f": 0, "d": 0} {
		full := filepath.Join(ws, name)
		if err := os.Chmod(full, mode); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(full, 0o700)
	}
	checkBatch(t, newFS(t, read("w", ws)), []string{"/w/f", "/w/d", "/w/d/f"})
}

// What does not fit is told and is not there in part; what fits has bytes of its own.
func TestBatchBounds(t *testing.T) {
	ws := t.TempDir()
	var names []string
	files := map[string]string{}
	for i := range 200 {
		name := fmt.Sprintf("d%d/f%d", i%7, i)
		files[name] = strings.Repeat(string(rune('a'+i%26)), i)
		names = append(names, "/w/"+name)
	}
	write(t, ws, files)
	guest := newFS(t, read("w", ws))
	for _, size := range []int{0, 1, 100, 5_000, 50_000} {
		for _, most := range []int{0, 1, 99, 100, 1000} {
			room := make([]byte, size)
			answers := guest.Batch(t.Context(), names).Read(most, room)
			owner := make([]int, size)
			fit := 0
			for i, a := range answers {
				want := files[strings.TrimPrefix(names[i], "/w/")]
				switch {
				case len(want) > most:
					if !errors.Is(a.Err, hostfuncs.ErrOverSize) || a.Size != int64(len(want)) || len(a.Content) > 0 {
						t.Fatalf("room %d, most %d, %s: %+v, want that it is too large", size, most, names[i], a)
					}
				case a.Err == nil:
					fit++
					if string(a.Content) != want {
						t.Fatalf("room %d, most %d, %s: got %q", size, most, names[i], a.Content)
					}
					for at := a.Offset; at < a.Offset+len(want); at++ {
						if owner[at] != 0 {
							t.Fatalf("%s and %s share their bytes", names[i], names[owner[at]-1])
						}
						owner[at] = i + 1
					}
				case !errors.Is(a.Err, hostfuncs.ErrNoRoom) || len(a.Content) > 0:
					t.Fatalf("room %d, most %d, %s: %+v, want that there is no room", size, most, names[i], a)
				}
			}
			if size == 50_000 && fit != min(most+1, 200) {
				t.Errorf("with room for all, %d of %d files fit", fit, min(most+1, 200))
			}
		}
	}
	for _, a := range guest.Batch(t.Context(), []string{"/w", "/w/d0"}).List(make([]byte, 10)) {
		if !errors.Is(a.Err, hostfuncs.ErrNoRoom) || len(a.Content) > 0 {
			t.Errorf("a listing without room: %+v", a)
		}
	}
}

func TestBatchEndsWithItsCall(t *testing.T) {
	ws := t.TempDir()
	write(t, ws, map[string]string{"f": "x"})
	names := slices.Repeat([]string{"/w/f"}, 100)
	all := func(files *hostfuncs.FS, ctx context.Context) []hostfuncs.Answer {
		b := files.Batch(ctx, names)
		room := make([]byte, roomy)
		return slices.Concat(b.Stat(), b.Read(10, room), b.List(room))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	revoked := newFS(t, read("w", ws))
	revoked.Revoke()
	for name, answers := range map[string][]hostfuncs.Answer{
		"the call has ended": all(newFS(t, read("w", ws)), ended),
		"it is revoked":      all(revoked, t.Context()),
	} {
		for _, a := range answers {
			if !errors.Is(a.Err, fs.ErrClosed) || len(a.Content) > 0 {
				t.Fatalf("%s: %+v, want fs.ErrClosed", name, a)
			}
		}
	}
}

// Nothing stays open, and a call that has as many files open as it may still can ask.
func TestBatchKeepsNothingOpen(t *testing.T) {
	ws := t.TempDir()
	var names []string
	files := map[string]string{}
	for i := range 300 {
		name := fmt.Sprintf("d%d/f%d", i%40, i)
		files[name] = "x"
		names = append(names, "/w/"+name, path.Dir("/w/"+name), "/w/none")
	}
	write(t, ws, files)
	guest := newFSWith(t, hostfuncs.Options{MaxOpenFiles: 1}, read("w", ws))
	before := openDescriptors(t)
	for range 3 {
		b := guest.Batch(t.Context(), names)
		b.Stat()
		b.Read(10, make([]byte, roomy))
		b.List(make([]byte, roomy))
	}
	if after := openDescriptors(t); after > before {
		t.Errorf("%d descriptors are open, before there were %d", after, before)
	}
	f, err := guest.View("/w").Open("d0/f0", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := guest.Batch(t.Context(), names[:2])
	for i, answers := range [][]hostfuncs.Answer{b.Stat(), b.Read(10, make([]byte, 100))[:1], b.List(make([]byte, 100_000))[1:]} {
		for _, a := range answers {
			if a.Err != nil {
				t.Errorf("%d, with all files open that may be: %+v", i, a)
			}
		}
	}
}

// openDescriptors is how many descriptors the process has, 0 where that is not told.
func openDescriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}

// What was read is noted once, but for what the call has for itself.
func TestBatchIsNoted(t *testing.T) {
	ws := t.TempDir()
	write(t, ws, map[string]string{"a": "x", "b": "larger than asked for", "d/c": "x"})
	symlink(t, "a", filepath.Join(ws, "link"))
	b, err := hostfuncs.Bind(capability.Grant{FS: grants(read("w", ws), scratch())}, hostfuncs.Options{}, hostfuncs.Services{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := writeFile(b.Files.View("/"), "/tmp/own", "x"); err != nil {
		t.Fatal(err)
	}
	b.Files.Batch(t.Context(), []string{"/w/a", "/w/a", "/w/d/c", "/tmp/own", "/w/none"}).Read(100, make([]byte, 1000))
	if got, want := b.Usage().FilesRead, []string{"/w/a", "/w/d/c"}; !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("noted %q, want %q", got, want)
	}
}
