package guestfs_test

import (
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/wasmtool/wasmtool/runtime/internal/guestfs"
)

func newData(t *testing.T, files map[string]string) *guestfs.Data {
	t.Helper()
	content := make(map[string][]byte)
	for name, text := range files {
		content[name] = []byte(text)
	}
	d, err := guestfs.NewData(content)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDataRefusesInvalidPaths(t *testing.T) {
	for name, files := range map[string][]string{
		"an absolute path":     {"/a"},
		"a path that leads up": {"../a"},
		"an empty path":        {""},
		"the root":             {"."},
		"a path not cleaned":   {"a//b"},
		"the host's file":      {".host"},
		"a file as directory":  {"a", "a/b"},
		"a late directory":     {"a-b", "a", "a/b"},
	} {
		content := make(map[string][]byte)
		for _, file := range files {
			content[file] = nil
		}
		if _, err := guestfs.NewData(content); err == nil || !strings.Contains(err.Error(), `"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := guestfs.NewData(map[string][]byte{"a": make([]byte, guestfs.MaxDataBytes), "b": {0}}); err == nil {
		t.Error("more bytes than the limit are accepted")
	}
}

// The digest depends on every name and every byte, and on nothing else.
func TestDigestOfData(t *testing.T) {
	base := map[string]string{"a": "1", "b/c": "2"}
	digest := newData(t, base).Digest()
	if newData(t, map[string]string{"b/c": "2", "a": "1"}).Digest() != digest {
		t.Error("equal files have different digests")
	}
	seen := map[string]bool{digest: true}
	for _, other := range []map[string]string{
		{"a": "1"}, {"a": "1", "b/c": "3"}, {"a": "12", "b/c": ""}, {"a": "1", "bc": "2"}, {"a": "1", "b/c": "2", "d": ""}, {"a": "2", "b/c": "1"},
	} {
		if d := newData(t, other).Digest(); seen[d] {
			t.Errorf("the digest of %v is not new", other)
		} else {
			seen[d] = true
		}
	}
}

func TestDataIsReadOnly(t *testing.T) {
	var traces guestfs.Traces
	fsys := guestfs.NewReadOnly(newData(t, map[string]string{"z.py": "zzz", "lib/a.py": "0123456789", "lib-x": "", "lib/b/c": ""}), "/tool", &traces, nil)
	if _, errno := fsys.OpenFile(".", sys.O_RDONLY, 0); errno != 0 || traces.OwnFiles() || !traces.Clean() {
		t.Errorf("the engine opened the directory: %v, traces %+v", errno, traces)
	}

	file, errno := fsys.OpenFile("lib/./a.py", sys.O_RDONLY, 0o600)
	if errno != 0 {
		t.Fatal(errno)
	}
	if !traces.OwnFiles() || !traces.Open() || traces.Clean() || traces.Touched() {
		t.Errorf("traces of an open file: %+v", traces)
	}
	buf := make([]byte, 4)
	var got []string
	read := func() {
		n, errno := file.Read(buf)
		got = append(got, string(buf[:n])+errnoText(errno))
	}
	read()
	read()
	read()
	read()
	_, _ = file.Seek(-3, io.SeekEnd)
	read()
	n, _ := file.Pread(buf, 1)
	got = append(got, string(buf[:n]))
	if want := []string{"0123", "4567", "89", "", "789", "1234"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	if _, errno := file.Write(buf); errno != sys.EROFS {
		t.Errorf("writing: %v", errno)
	}
	_ = file.Close()
	_ = file.Close()
	if !traces.Clean() {
		t.Errorf("traces after closing: %+v", traces)
	}

	dir, errno := fsys.OpenFile("lib", sys.O_RDONLY|sys.O_DIRECTORY, 0o600)
	if errno != 0 {
		t.Fatal(errno)
	}
	entries, _ := dir.Readdir(-1)
	if len(entries) != 2 || entries[0].Name != "a.py" || entries[1].Name != "b" || entries[1].Type != fs.ModeDir {
		t.Errorf("the entries are %+v", entries)
	}
	_ = dir.Close()

	first, _ := fsys.Stat("lib/a.py")
	again, _ := fsys.Lstat("lib/a.py")
	other, _ := fsys.Stat("z.py")
	if first != again || first.Mtim != 0 || first.Size != 10 || first.Mode != 0o444 || first.Ino == other.Ino {
		t.Errorf("described as %+v, %+v and %+v", first, again, other)
	}
	for name, errno := range map[string]sys.Errno{
		"a missing file":      second(fsys.OpenFile("lib/x", sys.O_RDONLY, 0o600)),
		"a file as directory": second(fsys.OpenFile("z.py", sys.O_DIRECTORY, 0o600)),
		"above the root":      second(fsys.OpenFile("../z.py", sys.O_RDONLY, 0o600)),
		"writing":             second(fsys.OpenFile("z.py", sys.O_WRONLY, 0o600)),
		"creating":            second(fsys.OpenFile("new", sys.O_CREAT, 0o600)),
		"truncating":          second(fsys.OpenFile("z.py", sys.O_RDONLY|sys.O_TRUNC, 0o600)),
		"mkdir":               fsys.Mkdir("new", 0o700),
		"rename":              fsys.Rename("z.py", "y"),
		"unlink":              fsys.Unlink("z.py"),
		"rmdir":               fsys.Rmdir("lib"),
		"utimens":             fsys.Utimens("z.py", 1, 1),
		"chmod":               fsys.Chmod("z.py", 0),
		"link":                fsys.Link("z.py", "y"),
		"symlink":             fsys.Symlink("z.py", "y"),
	} {
		if errno == 0 {
			t.Errorf("%s succeeds", name)
		}
	}
}

// Files of the guest's own that are open take memory of the host, and so do requests to the service
// that are not complete.
func TestOpenOwnFilesAreLimited(t *testing.T) {
	for name, limit := range map[string]int{"a.py": guestfs.MaxOpenData, ".": guestfs.MaxOpenData, guestfs.ServiceName: guestfs.MaxOpenServices} {
		var traces guestfs.Traces
		fsys := guestfs.NewReadOnly(newData(t, map[string]string{"a.py": ""}), "/tool", &traces, func([]byte) []byte { return nil })
		const rights = 0o600 // the engine opens the pre-opened directory without
		var opened []sys.File
		for {
			file, errno := fsys.OpenFile(name, sys.O_RDONLY, rights)
			if errno == sys.EAGAIN || len(opened) > limit {
				break
			}
			if errno != 0 {
				t.Fatal(name, errno)
			}
			opened = append(opened, file)
		}
		if len(opened) != limit {
			t.Errorf("%s was opened %d times, want %d", name, len(opened), limit)
		}
		_, _ = opened[0].Close(), opened[0].Close()
		for _, want := range []sys.Errno{0, sys.EAGAIN} {
			if _, errno := fsys.OpenFile(name, sys.O_RDONLY, rights); errno != want {
				t.Errorf("%s, after one file was closed: got %v, want %v", name, errno, want)
			}
		}
		if _, errno := fsys.OpenFile(".", sys.O_RDONLY, 0); errno != 0 {
			t.Errorf("at the limit, the engine opens the directory: %v", errno)
		}
	}
}

func second[T any](_ T, errno sys.Errno) sys.Errno { return errno }

func errnoText(errno sys.Errno) string {
	if errno == 0 {
		return ""
	}
	return errno.Error()
}
