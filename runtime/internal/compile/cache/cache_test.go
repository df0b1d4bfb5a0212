package cache

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
)

func open(t testing.TB) (*Cache, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "cache")
	c, err := Open(dir, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return c, dir
}

// engineFile is the path below Scratch.Dir where the fake engine of these tests keeps its code.
const engineFile = "engine-1/code"

// store stores an entry as a Runtime does after a miss.
func store(t testing.TB, c *Cache, key Key, code string, e Entry) {
	t.Helper()
	s := scratch(t, c)
	file := filepath.Join(s.Dir(), filepath.FromSlash(engineFile))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Store(key, e); err != nil {
		t.Fatal(err)
	}
	s.Close()
}

func scratch(t testing.TB, c *Cache) *Scratch {
	t.Helper()
	s, err := c.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// fetch returns the code that the engine would read, and the entry.
func fetch(t testing.TB, c *Cache, key Key) (code string, e Entry, ok bool) {
	t.Helper()
	s := scratch(t, c)
	e, ok = s.Fetch(key)
	if !ok {
		if left, err := os.ReadDir(s.Dir()); err != nil || len(left) > 0 {
			t.Fatalf("a miss left %v for the engine to find (%v)", left, err)
		}
		return "", e, false
	}
	data, err := os.ReadFile(filepath.Join(s.Dir(), filepath.FromSlash(engineFile)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data), e, true
}

func TestFetchReturnsStoredEntry(t *testing.T) {
	c, _ := open(t)
	key := NewKey([]byte("module"))
	if _, _, ok := fetch(t, c, key); ok {
		t.Fatal("an empty cache has an entry")
	}
	for _, want := range []Entry{
		{Source: [32]byte{1, 2}, Module: []byte("module"), Facts: []byte("facts")},
		{}, // replaces the first entry
	} {
		store(t, c, key, "code", want)
		code, e, ok := fetch(t, c, key)
		if !ok {
			t.Fatal("an entry is missing")
		}
		// The engine reads its part from the start of the file.
		if code[:4] != "code" {
			t.Errorf("the engine gets %q", code)
		}
		if e.Source != want.Source || !bytes.Equal(e.Module, want.Module) || !bytes.Equal(e.Facts, want.Facts) {
			t.Errorf("got %v, want %v", e, want)
		}
	}
}

// A fetched entry can be the stored file under a second name, so it must not become an entry again.
func TestStoreAfterFetchFails(t *testing.T) {
	c, _ := open(t)
	key := NewKey([]byte("module"))
	store(t, c, key, "code", Entry{})
	s := scratch(t, c)
	if _, ok := s.Fetch(key); !ok {
		t.Fatal("the entry is missing")
	}
	if err := s.Store(key, Entry{}); err == nil {
		t.Error("a fetched entry was stored")
	}
	if _, _, ok := fetch(t, c, key); !ok {
		t.Error("the entry was damaged")
	}
}

func TestKeysDifferBySplit(t *testing.T) {
	if NewKey([]byte("ab"), []byte("c")) == NewKey([]byte("a"), []byte("bc")) {
		t.Fatal("two lists of parts share a key")
	}
}

// Every single flipped byte, every cut and every appended byte is a miss, and the bad file is
// deleted.
func TestDamageIsAMiss(t *testing.T) {
	c, _ := open(t)
	key := NewKey([]byte("module"))
	store(t, c, key, "machine code", Entry{Module: []byte("m"), Facts: []byte("f")})
	good, err := os.ReadFile(c.path(key))
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(c.path(key), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, ok := fetch(t, c, key); ok {
			t.Fatalf("%s was accepted", what)
		}
		if _, err := os.Stat(c.path(key)); !errors.Is(err, os.ErrNotExist) {
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
	check("a file with more before it", append([]byte{0}, good...))
	store(t, c, key, "machine code", Entry{})
	if _, _, ok := fetch(t, c, key); !ok {
		t.Fatal("the entry did not come back")
	}
}

func FuzzEntry(f *testing.F) {
	c, _ := open(f)
	key := NewKey([]byte("module"))
	store(f, c, key, "code", Entry{Module: []byte("m")})
	good, err := os.ReadFile(c.path(key))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		_, name, err := readEntry(bytes.NewReader(data), int64(len(data)), key)
		if ok := err == nil; ok != bytes.Equal(data, good) {
			t.Fatalf("read %q, %v", name, err)
		}
	})
}

func TestEntryOfAnotherKeyIsAMiss(t *testing.T) {
	c, _ := open(t)
	a, b := NewKey([]byte("a")), NewKey([]byte("b"))
	store(t, c, a, "code of a", Entry{})
	if err := os.Rename(c.path(a), c.path(b)); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := fetch(t, c, b); ok {
		t.Fatal("the code of one module was given for another")
	}
}

func TestLinkIsAMiss(t *testing.T) {
	c, dir := open(t)
	key := NewKey([]byte("a"))
	store(t, c, key, "code", Entry{})
	elsewhere := filepath.Join(filepath.Dir(dir), "elsewhere")
	if err := os.Rename(c.path(key), elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, c.path(key)); err != nil {
		t.Skipf("this system makes no links here: %v", err)
	}
	if _, _, ok := fetch(t, c, key); ok {
		t.Fatal("a link was followed")
	}
	if _, err := os.Stat(elsewhere); err != nil {
		t.Fatalf("the file behind a link was touched: %v", err)
	}
}

// A name in an entry cannot create files outside the scratch directory.
func TestEngineNameStaysInside(t *testing.T) {
	c, dir := open(t)
	for _, name := range []string{"../outside", "/outside", "a/../../outside", ""} {
		key := NewKey([]byte(name))
		if err := os.WriteFile(c.path(key), []byte("code"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := appendEntry(c.path(key), name, key, Entry{}); err != nil {
			t.Fatal(err)
		}
		if _, _, ok := fetch(t, c, key); ok {
			t.Errorf("the name %q was accepted", name)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 4 {
		t.Errorf("the directory contains %v (%v)", left, err)
	}
}

// An entry is copied where links are not possible, and into a scratch directory outside the cache.
func TestPlaceCopiesWithoutLinks(t *testing.T) {
	c, _ := open(t)
	key := NewKey([]byte("a"))
	store(t, c, key, "code", Entry{Module: []byte("m")})
	for _, link := range []bool{true, false} {
		to := filepath.Join(t.TempDir(), "entry")
		if err := place(c.path(key), to, link); err != nil {
			t.Fatal(err)
		}
		if e, name, err := readEntryFile(to, key); err != nil || name != engineFile || string(e.Module) != "m" {
			t.Errorf("link %v: got %v %q, %v", link, e, name, err)
		}
	}
}

// A running process creates the directory again after it was removed.
func TestRemovedDirectoryIsCreatedAgain(t *testing.T) {
	c, dir := open(t)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if items, err := c.List(); err != nil || len(items) > 0 {
		t.Errorf("listed %v, %v", items, err)
	}
	key := NewKey([]byte("a"))
	store(t, c, key, "code", Entry{})
	if _, _, ok := fetch(t, c, key); !ok {
		t.Error("the entry is missing")
	}
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkPrivate(info); err != nil {
		t.Error(err)
	}
}

// Concurrent stores, fetches, evictions and clears never show part of an entry or the code of
// another entry.
func TestConcurrentUseShowsNoPartialEntry(t *testing.T) {
	_, dir := open(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			c, err := Open(dir, 2000) // holds a few entries
			if err != nil {
				t.Error(err)
				return
			}
			for round := range 30 {
				label := strconv.Itoa(round % 7)
				key := NewKey([]byte(label))
				s, err := c.Scratch()
				if err != nil {
					t.Error(err)
					return
				}
				if e, ok := s.Fetch(key); ok {
					code, err := os.ReadFile(filepath.Join(s.Dir(), filepath.FromSlash(engineFile)))
					if err != nil || string(code[:1]) != label || string(e.Module) != label {
						t.Errorf("entry %s: got %q, %q, %v", label, code, e.Module, err)
					}
				}
				s.Close()
				store(t, c, key, label, Entry{Module: []byte(label)})
				if round%10 == 9 {
					if _, _, err := c.Clear(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
}

func TestUnsafeDirectoriesAreRefused(t *testing.T) {
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
		if _, err := Open(dir, 1); !errors.Is(err, ErrUnsafe) {
			t.Errorf("open %s: got %v, want ErrUnsafe", filepath.Base(dir), err)
		}
		if _, err := OpenExisting(dir); !errors.Is(err, ErrUnsafe) {
			t.Errorf("open existing %s: got %v, want ErrUnsafe", filepath.Base(dir), err)
		}
	}
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file, 1); err == nil {
		t.Error("a file was opened as a directory")
	}
}
