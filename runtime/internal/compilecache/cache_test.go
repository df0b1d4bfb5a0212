package compilecache

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func open(t *testing.T) (*Cache, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "cache")
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c, dir
}

func TestRoundTrip(t *testing.T) {
	c, _ := open(t)
	key := NewKey([]byte("module"))
	if _, _, ok := c.Get(key); ok {
		t.Fatal("an empty cache has an entry")
	}
	if err := c.Put(key, "name", []byte("code")); err != nil {
		t.Fatal(err)
	}
	name, payload, ok := c.Get(key)
	if !ok || name != "name" || string(payload) != "code" {
		t.Fatalf("got %q %q %v", name, payload, ok)
	}
	if err := c.Put(key, "", nil); err != nil {
		t.Fatal(err)
	}
	if name, payload, ok := c.Get(key); !ok || name != "" || len(payload) != 0 {
		t.Fatalf("after replacing: got %q %q %v", name, payload, ok)
	}
}

func TestKeysDifferBySplit(t *testing.T) {
	if NewKey([]byte("ab"), []byte("c")) == NewKey([]byte("a"), []byte("bc")) {
		t.Fatal("two lists of parts share a key")
	}
}

// Every single flipped byte, every cut and every growth is a miss, and the bad
// file is gone afterwards (security.md C5).
func TestDamageIsAMiss(t *testing.T) {
	c, dir := open(t)
	key := NewKey([]byte("module"))
	if err := c.Put(key, "n", []byte("machine code")); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("want one file, got %v %v", files, err)
	}
	good, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(files[0], data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, ok := c.Get(key); ok {
			t.Fatalf("%s was accepted", what)
		}
		if _, err := os.Stat(files[0]); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("%s was not deleted", what)
		}
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 0x10
		check("a flipped byte", bad)
		check("a cut file", good[:i])
	}
	check("a longer file", append(bytes.Clone(good), 0))
	if err := c.Put(key, "n", []byte("machine code")); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := c.Get(key); !ok {
		t.Fatal("the entry did not come back")
	}
}

func TestEntryOfAnotherKeyIsAMiss(t *testing.T) {
	c, dir := open(t)
	a, b := NewKey([]byte("a")), NewKey([]byte("b"))
	if err := c.Put(a, "", []byte("code of a")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(c.path(a), c.path(b)); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := c.Get(b); ok {
		t.Fatalf("the code of one module was given for another in %s", dir)
	}
}

func TestLinkIsAMiss(t *testing.T) {
	c, dir := open(t)
	key := NewKey([]byte("a"))
	if err := c.Put(key, "", []byte("code")); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(filepath.Dir(dir), "elsewhere")
	if err := os.Rename(c.path(key), elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, c.path(key)); err != nil {
		t.Skipf("this system makes no links here: %v", err)
	}
	if _, _, ok := c.Get(key); ok {
		t.Fatal("a link was followed")
	}
}

func TestUnsafeFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has access lists in place of modes")
	}
	base := t.TempDir()
	open := filepath.Join(base, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	private := filepath.Join(base, "private")
	if err := os.Mkdir(private, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(base, "link")
	if err := os.Symlink(private, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{open, link} {
		if _, err := Open(dir); !errors.Is(err, ErrUnsafe) {
			t.Errorf("%s: got %v, want ErrUnsafe", filepath.Base(dir), err)
		}
	}
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); err == nil {
		t.Error("a file was opened as a folder")
	}
}
