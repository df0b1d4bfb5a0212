package cache

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// at sets the last use of an entry to some minutes ago.
func at(t *testing.T, c *Cache, key Key, minutesAgo int) {
	t.Helper()
	when := time.Now().Add(-time.Duration(minutesAgo) * time.Minute)
	if err := os.Chtimes(c.path(key), when, when); err != nil {
		t.Fatal(err)
	}
}

// left returns the labels whose entries exist.
func left(c *Cache, labels string) string {
	var b strings.Builder
	for _, label := range strings.Split(labels, "") {
		if _, err := os.Stat(c.path(NewKey([]byte(label)))); err == nil {
			b.WriteString(label)
		}
	}
	return b.String()
}

func TestLeastRecentlyUsedEntriesAreEvicted(t *testing.T) {
	tests := []struct {
		name string
		max  func(entry int64) int64 // limit of the cache, given the size of one entry
		want string                  // labels of the remaining entries, the oldest first; e is new
	}{
		{"all fit", func(entry int64) int64 { return 5 * entry }, "abcde"},
		{"one must go", func(entry int64) int64 { return 5*entry - 1 }, "bcde"},
		{"three must go", func(entry int64) int64 { return 2 * entry }, "de"},
		{"only the new one fits", func(entry int64) int64 { return entry }, "e"},
		{"not even the new one fits", func(int64) int64 { return 1 }, "e"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, dir := open(t)
			for i, label := range strings.Split("dbca", "") { // not the order of use
				key := NewKey([]byte(label))
				store(t, c, key, "code", Entry{})
				at(t, c, key, []int{10, 30, 20, 40}[i])
			}
			foreign := filepath.Join(dir, "notes.txt")
			if err := os.WriteFile(foreign, make([]byte, 20_000), 0o600); err != nil {
				t.Fatal(err)
			}
			c.maxBytes = tt.max(fileSize(t, c, NewKey([]byte("a"))))
			store(t, c, NewKey([]byte("e")), "code", Entry{})
			if got := left(c, "abcde"); got != tt.want {
				t.Errorf("left: %q, want %q", got, tt.want)
			}
			if _, err := os.Stat(foreign); err != nil {
				t.Errorf("a file that is not ours: %v", err)
			}
		})
	}
}

func TestFetchCountsAsUse(t *testing.T) {
	c, _ := open(t)
	a, b := NewKey([]byte("a")), NewKey([]byte("b"))
	for i, key := range []Key{a, b} {
		store(t, c, key, "code", Entry{})
		at(t, c, key, 20-i)
	}
	if _, _, ok := fetch(t, c, a); !ok {
		t.Fatal("the entry is missing")
	}
	c.maxBytes = 2 * fileSize(t, c, a)
	store(t, c, NewKey([]byte("c")), "code", Entry{})
	if got := left(c, "abc"); got != "ac" {
		t.Errorf("left: %q, want %q", got, "ac")
	}
}

func fileSize(t *testing.T, c *Cache, key Key) int64 {
	t.Helper()
	info, err := os.Stat(c.path(key))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// An entry that is evicted after it was fetched remains readable for the engine.
func TestEvictedEntryStaysReadable(t *testing.T) {
	c, _ := open(t)
	key := NewKey([]byte("a"))
	store(t, c, key, "code", Entry{})
	s := scratch(t, c)
	if _, ok := s.Fetch(key); !ok {
		t.Fatal("the entry is missing")
	}
	c.Delete(key)
	code, err := os.ReadFile(filepath.Join(s.Dir(), filepath.FromSlash(engineFile)))
	if err != nil || !strings.HasPrefix(string(code), "code") {
		t.Errorf("got %q, %v", code, err)
	}
}

func TestSweepTakesOldLeftoversOnly(t *testing.T) {
	c, dir := open(t)
	old, young, foreign := scratch(t, c), scratch(t, c), filepath.Join(dir, "mine")
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-2 * leftoverAge)
	for _, path := range []string{old.Dir(), foreign} {
		if err := os.WriteFile(filepath.Join(path, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	store(t, c, NewKey([]byte("a")), "code", Entry{})
	for path, want := range map[string]bool{old.Dir(): false, young.Dir(): true, foreign: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(path), err == nil, want)
		}
	}
}

func TestListAndClear(t *testing.T) {
	c, dir := open(t)
	a, b, other := NewKey([]byte("a")), NewKey([]byte("b")), NewKey([]byte("other"))
	store(t, c, a, "code", Entry{Source: [32]byte{1}})
	store(t, c, b, "more code", Entry{Source: [32]byte{2}})
	at(t, c, a, 5)
	if err := os.WriteFile(c.path(other), []byte("of another version"), 0o600); err != nil {
		t.Fatal(err)
	}
	at(t, c, other, 60)
	for _, name := range []string{"notes.txt", "x.bin", strings.ToUpper(filepath.Base(c.path(a)))} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	items, err := c.List()
	if err != nil || len(items) != 3 {
		t.Fatalf("listed %v, %v", items, err)
	}
	for i, want := range []Item{{Key: b, Source: [32]byte{2}}, {Key: a, Source: [32]byte{1}}, {Key: other}} {
		if got := items[i]; got.Key != want.Key || got.Source != want.Source || got.Bytes != fileSize(t, c, want.Key) {
			t.Errorf("item %d: got %+v, want %+v", i, got, want)
		}
	}
	size := items[0].Bytes + items[1].Bytes + items[2].Bytes
	if entries, bytes, err := c.Clear(); entries != 3 || bytes != size || err != nil {
		t.Errorf("cleared %d entries, %d bytes, %v", entries, bytes, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("left: %v, %v", left, err)
	}
	if entries, bytes, err := c.Clear(); entries != 0 || bytes != 0 || err != nil {
		t.Errorf("cleared again: %d entries, %d bytes, %v", entries, bytes, err)
	}
}
