package files_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// batch returns a request about files.
func batch(fsys *files.FS, names ...string) files.Batch {
	return fsys.Batch(context.Background(), names)
}

// seenFile is the information that a guest gets about a file.
type seenFile struct {
	err     error
	kind    uint32
	size    int64
	time    int64
	content string
}

// seenIn returns the information that a guest gets from an answer. An error reveals only the error
// of package files and, for a file that is too large, its size.
func seenIn(a files.Answer) seenFile {
	var p *fs.PathError
	if errors.As(a.Err, &p) {
		a.Err = p.Err
	}
	switch a.Err {
	case nil:
	case files.ErrOverSize:
		return seenFile{err: a.Err, size: a.Size}
	default:
		return seenFile{err: a.Err}
	}
	t := seenFile{kind: files.WASIType(a.Type), size: a.Size, content: string(a.Content)}
	if !a.ModTime.IsZero() {
		t.time = a.ModTime.UnixNano()
	}
	return t
}

// failed returns the answer for an error.
func failed(err error) files.Answer { return files.Answer{Err: err} }

func described(info fs.FileInfo) files.Answer {
	return files.Answer{Type: info.Mode().Type(), Size: info.Size(), ModTime: info.ModTime()}
}

// statAlone, readAlone and listAlone return the information that a guest gets from a request for
// one file.
func statAlone(v files.View, name string) files.Answer {
	info, err := v.Lstat(name)
	if err != nil {
		return failed(err)
	}
	return described(info)
}

func readAlone(v files.View, name string, most int64) files.Answer {
	f, err := v.Open(name, 0)
	if err != nil {
		return failed(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return failed(err)
	}
	a := described(info)
	if !f.IsDir() && info.Size() > most {
		a.Err = files.ErrOverSize
		return a
	}
	a.Content, a.Err = io.ReadAll(f)
	return a
}

func listAlone(v files.View, name string) files.Answer {
	f, err := v.Open(name, files.OpenDirectory)
	if err != nil {
		return failed(err)
	}
	defer f.Close()
	entries, err := f.ReadDir(0)
	if err != nil {
		return failed(err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	a := files.Answer{Type: fs.ModeDir}
	for _, e := range entries {
		a.Content = append(a.Content, byte(files.WASIType(e.Type())), byte(len(e.Name())))
		a.Content = append(a.Content, e.Name()...)
	}
	return a
}

// requireSame fails the test unless a batch gives each file the same answer as a request for that
// file alone. The answers must also be separate in the buffer.
func requireSame(t testing.TB, fsys *files.FS, names []string, most int) {
	t.Helper()
	view := fsys.View("/")
	room := func() []byte { return make([]byte, 1<<20) }
	for kind, do := range map[string]struct {
		batch []files.Answer
		alone func(name string) files.Answer
	}{
		"stat": {batch(fsys, names...).Stat(), func(name string) files.Answer { return statAlone(view, name) }},
		"list": {batch(fsys, names...).List(room()), func(name string) files.Answer { return listAlone(view, name) }},
		"read": {batch(fsys, names...).Read(most, room()), func(name string) files.Answer { return readAlone(view, name, int64(most)) }},
	} {
		if len(do.batch) != len(names) {
			t.Fatalf("%s: %d answers for %d names", kind, len(do.batch), len(names))
		}
		for i, a := range do.batch {
			if got, want := seenIn(a), seenIn(do.alone(names[i])); got != want {
				t.Errorf("%s %q: got %+v, want %+v", kind, names[i], got, want)
			}
		}
	}
}

// requireApart fails the test unless each answer's content is in the buffer at its offset, and no
// contents overlap.
func requireApart(t testing.TB, answers []files.Answer, room []byte) {
	t.Helper()
	owner := make([]int, len(room))
	for i, a := range answers {
		if a.Offset < 0 || a.Offset+len(a.Content) > len(room) {
			t.Fatalf("answer %d is at %d to %d in a buffer of %d bytes", i, a.Offset, a.Offset+len(a.Content), len(room))
		}
		if !bytes.Equal(room[a.Offset:a.Offset+len(a.Content)], a.Content) {
			t.Errorf("answer %d is not at its offset", i)
		}
		for at := range a.Content {
			if owner[a.Offset+at] != 0 {
				t.Fatalf("answers %d and %d overlap", owner[a.Offset+at]-1, i)
			}
			owner[a.Offset+at] = i + 1
		}
	}
}

// variations returns guest paths of the files below dir in several spellings, and some paths that
// do not exist. dir is a host directory that the guest sees at the path at.
func variations(t testing.TB, dir, at string) []string {
	t.Helper()
	names := []string{"", "/", ".", "..", at, at + "/", at[1:], at + "-evil", at + "/none", at + "/none/none"}
	err := filepath.WalkDir(dir, func(file string, _ fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, file)
		rel = filepath.ToSlash(rel)
		if err == nil && rel != "." {
			names = append(names, at+"/"+rel, at[1:]+"/"+rel, at+"/"+rel+"/", at+"/"+rel+"/.", at+"/x/../"+rel, at+"/"+rel+"/none", at+"/"+strings.ToUpper(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestBatchAnswersMatchSingleRequests(t *testing.T) {
	ws, data, deny := t.TempDir(), t.TempDir(), t.TempDir()
	many := map[string]string{"empty": "", "d/large": strings.Repeat("x", 5000), "d/exact": strings.Repeat("y", 1000), "d/over": strings.Repeat("z", 1001)}
	for i := range 150 {
		many[fmt.Sprintf("m%d/f%d", i%7, i)] = fmt.Sprint("content ", i)
	}
	write(t, ws, many)
	write(t, data, map[string]string{"a": "alpha", "b/ü": "beta"})
	write(t, deny, map[string]string{"ok": "fine", "secret/f": canary, "secret/d/f": canary, "d/key.pem": canary, "d/ok": "fine"})
	in := read("data", data)
	in.At = "/mnt/in/data"
	fsys := newFS(t, read("workspace", ws), in, read("deny", deny, "secret", "**/*.pem"), scratch())
	if err := writeFile(fsys.View("/tmp"), "f", "mine"); err != nil {
		t.Fatal(err)
	}
	names := slices.Concat(
		variations(t, ws, "/workspace"), variations(t, data, "/mnt/in/data"), variations(t, deny, "/deny"),
		[]string{"/mnt", "/mnt/", "/mnt/in", "/mnt/none", "/tmp", "/tmp/f", "/tmp/none", "/etc/passwd", "/workspace/../deny/ok", "/workspace\x00", "\xff"},
	)
	random := rand.New(rand.NewSource(1))
	for _, most := range []int{0, 1, 1000, 1 << 20} {
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		requireSame(t, fsys, names, most)
	}
}

func FuzzBatch(f *testing.F) {
	dir := f.TempDir()
	write(f, dir, map[string]string{"f": "fine", "d/g": "more", "secret/f": canary})
	fsys := newFS(f, read("w", dir, "secret"))
	f.Add("/w/f\x00/w/d/g\x00w/d", 10)
	f.Add("/w/secret/f\x00/w/secret\x00/w/d/../secret/f\x00/w//secret/./f\x00/w/SECRET/f", 100)
	f.Add("/w/d/g\x00/w/d/g/\x00/w/d/../../w/f\x00..\x00\x00/\x00\xff", 3)
	f.Fuzz(func(t *testing.T, names string, most int) {
		list := strings.Split(names, "\x00")
		requireSame(t, fsys, list, max(0, min(most, 1000)))
		room := make([]byte, 100)
		requireApart(t, batch(fsys, list...).Read(most, room), room)
		if bytes.Contains(room, []byte(canary)[:6]) {
			t.Errorf("%q contains denied names", names)
		}
	})
}

func TestRoomOfABatch(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"ten": "0123456789", "empty": "", "d/a": "", "d/bb": ""})
	fsys := newFS(t, read("w", dir))
	read := func(most int) func(b files.Batch, room []byte) []files.Answer {
		return func(b files.Batch, room []byte) []files.Answer { return b.Read(most, room) }
	}
	for _, test := range []struct {
		name  string
		ask   func(b files.Batch, room []byte) []files.Answer
		names []string
		room  int
		want  []error
	}{
		// The buffer must have one byte more than the size of a file, to detect the end of the
		// file.
		{"a file that fits", read(10), []string{"/w/ten"}, 11, []error{nil}},
		{"no room for the end", read(10), []string{"/w/ten"}, 10, []error{files.ErrNoRoom}},
		{"no room at all", read(10), []string{"/w/ten", "/w/empty"}, 0, []error{files.ErrNoRoom, files.ErrNoRoom}},
		{"a byte over the size", read(9), []string{"/w/ten"}, 100, []error{files.ErrOverSize}},
		{"the size is checked before the buffer", read(9), []string{"/w/ten"}, 0, []error{files.ErrOverSize}},
		{"a limit of zero", read(0), []string{"/w/ten", "/w/empty"}, 100, []error{files.ErrOverSize, nil}},
		{"a negative limit", read(-1), []string{"/w/ten", "/w/empty"}, 100, []error{files.ErrOverSize, files.ErrOverSize}},
		{"one of two", read(10), []string{"/w/ten", "/w/ten"}, 21, []error{nil, files.ErrNoRoom}},
		{"the smaller one fits", read(10), []string{"/w/ten", "/w/ten", "/w/empty"}, 12, []error{nil, files.ErrNoRoom, nil}},
		{"a directory that fits", files.Batch.List, []string{"/w/d"}, 7, []error{nil}},
		{"a directory that does not", files.Batch.List, []string{"/w/d"}, 6, []error{files.ErrNoRoom}},
		{"several directories", files.Batch.List, []string{"/w/d", "/w/d", "/"}, 10, []error{nil, files.ErrNoRoom, nil}},
	} {
		room := make([]byte, test.room)
		answers := test.ask(batch(fsys, test.names...), room)
		for i, a := range answers {
			if a.Err != test.want[i] {
				t.Errorf("%s: %s: got %v, want %v", test.name, test.names[i], a.Err, test.want[i])
			}
			if a.Err != nil && len(a.Content) > 0 {
				t.Errorf("%s: %s: content with an error", test.name, test.names[i])
			}
		}
		requireApart(t, answers, room)
	}
	if got := len(batch(fsys).Stat()) + len(batch(fsys).List(nil)) + len(batch(fsys).Read(1, nil)); got != 0 {
		t.Errorf("%d answers for no names", got)
	}
}

// TestContentsOfABatchLieApart checks that files read concurrently get separate parts of the
// buffer, regardless of how many fit.
func TestContentsOfABatchLieApart(t *testing.T) {
	dir := t.TempDir()
	many, names := map[string]string{}, []string(nil)
	for i := range 400 {
		name := fmt.Sprintf("d%d/f%03d", i%5, i)
		many[name] = strings.Repeat(string(rune('a'+i%26)), i)
		names = append(names, "/w/"+name)
	}
	write(t, dir, many)
	fsys := newFS(t, read("w", dir))
	for _, size := range []int{0, 1, 500, 10_000, 79_999, 80_200, 100_000} {
		room := make([]byte, size)
		answers := batch(fsys, names...).Read(1<<20, room)
		requireApart(t, answers, room)
		fitted := 0
		for i, a := range answers {
			switch {
			case a.Err == nil && string(a.Content) == many[names[i][3:]]:
				fitted++
			case a.Err != files.ErrNoRoom:
				t.Fatalf("room of %d: %s: %d bytes, %v", size, names[i], len(a.Content), a.Err)
			}
		}
		if all := size >= 80_200; all != (fitted == len(names)) {
			t.Errorf("%d of %d files fit into %d bytes", fitted, len(names), size)
		}
	}
}

func TestABatchEndsWithItsCall(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "x", "d/g": "y"})
	done, cancel := context.WithCancel(context.Background())
	cancel()
	revoked, released := newFS(t, read("w", dir)), newFS(t, read("w", dir))
	revoked.Revoke()
	closed(t, released)
	names := []string{"/w/f", "/w/d", "/", "/w/none", "f\x00"}
	for name, b := range map[string]files.Batch{
		"the call is over": newFS(t, read("w", dir)).Batch(done, names),
		"revoked":          batch(revoked, names...),
		"closed":           batch(released, names...),
	} {
		room := make([]byte, 100)
		for _, a := range slices.Concat(b.Stat(), b.List(room), b.Read(10, room)) {
			if !errors.Is(a.Err, fs.ErrClosed) || len(a.Content) > 0 {
				t.Errorf("%s: got %+v", name, a)
			}
		}
		if !bytes.Equal(room, make([]byte, 100)) {
			t.Errorf("%s: the room was written to", name)
		}
	}
}

// TestABatchTakesNoOpenFileSlots checks that a batch uses none of the guest's slots for open files,
// regardless of how many files the guest has open.
func TestABatchTakesNoOpenFileSlots(t *testing.T) {
	dir := t.TempDir()
	names := []string(nil)
	for i := range 300 {
		name := fmt.Sprintf("d%d/f", i)
		write(t, dir, map[string]string{name: "x"})
		names = append(names, "/w/d"+fmt.Sprint(i))
	}
	symlink(t, "d0/f", filepath.Join(dir, "l"))
	fsys := newFSWith(t, files.Options{MaxOpenFiles: 1}, read("w", dir))
	held, err := fsys.View("/w").Open("d0/f", 0)
	if err != nil {
		t.Fatal(err)
	}
	room := make([]byte, 1<<16)
	for _, a := range slices.Concat(batch(fsys, names...).List(room), batch(fsys, "/w/l", "/w/d1/f").Read(10, room[:100])) {
		if a.Err != nil {
			t.Fatal(a.Err)
		}
	}
	if hit := fsys.LimitHit(); hit != "" {
		t.Errorf("a limit was hit: %s", hit)
	}
	if err := held.Close(); err != nil {
		t.Error(err)
	}
}

func TestBatchReportsReadFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "x", "seen": "y", "large": "0123456789", "d/g": ""})
	symlink(t, "d/g", filepath.Join(dir, "l"))
	b, err := hostfuncs.Bind(capability.Grant{FS: grants(read("w", dir), scratch())}, files.Options{}, hostfuncs.Services{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := writeFile(b.Files.View("/tmp"), "f", "mine"); err != nil {
		t.Fatal(err)
	}
	batch(b.Files, "/w/seen", "/w/d").Stat()
	batch(b.Files, "/w", "/w/d").List(make([]byte, 100))
	batch(b.Files, "/w/f", "w/./f", "/w/l", "/tmp/f", "/w/none", "/w/d").Read(5, make([]byte, 100))
	got := b.Usage().FilesRead
	slices.Sort(got)
	if want := []string{"/w/f", "/w/l"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	dirs := b.Usage().DirectoriesRead
	slices.Sort(dirs)
	if want := []string{"/w", "/w/d"}; !slices.Equal(dirs, want) {
		t.Errorf("listed %q, want %q", dirs, want)
	}
}

// TestABatchReadsLargeFiles checks that a file that takes several reads is read to its end.
func TestABatchReadsLargeFiles(t *testing.T) {
	dir := t.TempDir()
	content := make([]byte, 9<<20)
	rand.New(rand.NewSource(2)).Read(content)
	if err := os.WriteFile(filepath.Join(dir, "f"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	a := batch(newFS(t, read("w", dir)), "/w/f").Read(len(content), make([]byte, len(content)+1))[0]
	if a.Err != nil || !bytes.Equal(a.Content, content) {
		t.Errorf("read %d bytes, %v", len(a.Content), a.Err)
	}
}
