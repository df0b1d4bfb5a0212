package kv

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var mine = Namespace{Tenant: "t", Tool: "a"}

// stores are the implementations, each with quotas.
func stores(t *testing.T, o Options) map[string]Store {
	t.Helper()
	bolt := NewBolt(filepath.Join(t.TempDir(), "kv"), o)
	all := map[string]Store{"memory": NewMemory(o), "bolt": bolt}
	t.Cleanup(func() {
		for _, s := range all {
			_ = s.Close()
		}
	})
	return all
}

func kindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	if err != nil {
		return Kind("not ours: " + err.Error())
	}
	return ""
}

func want(t *testing.T, what string, err error, kind Kind) {
	t.Helper()
	if got := kindOf(err); got != kind {
		t.Errorf("%s: got %q (%v), want %q", what, got, err, kind)
	}
}

func TestStoreKeepsValues(t *testing.T) {
	ctx := t.Context()
	for name, s := range stores(t, Options{}) {
		t.Run(name, func(t *testing.T) {
			_, err := s.Get(ctx, mine, "a")
			want(t, "before it is set", err, NotFound)
			want(t, "deleting nothing", s.Delete(ctx, mine, "a"), "")
			value := []byte("one")
			want(t, "put", s.Put(ctx, mine, "a", value), "")
			value[0] = 'X' // the caller's
			for range 2 {
				got, err := s.Get(ctx, mine, "a")
				if err != nil || string(got) != "one" {
					t.Fatalf("got %q, %v", got, err)
				}
				got[0] = 'Y'
			}
			want(t, "an empty value", s.Put(ctx, mine, "empty", nil), "")
			if got, err := s.Get(ctx, mine, "empty"); err != nil || len(got) != 0 {
				t.Errorf("an empty value: %q, %v", got, err)
			}
			want(t, "delete", s.Delete(ctx, mine, "a"), "")
			_, err = s.Get(ctx, mine, "a")
			want(t, "after it was deleted", err, NotFound)
		})
	}
}

func TestSwapIsOneStep(t *testing.T) {
	ctx := t.Context()
	for name, s := range stores(t, Options{}) {
		t.Run(name, func(t *testing.T) {
			steps := []struct {
				old, value []byte
				want       bool
				then       string // "-" for none
			}{
				{[]byte("x"), []byte("y"), false, "-"},
				{nil, []byte("1"), true, "1"},
				{nil, []byte("2"), false, "1"},
				{[]byte("2"), []byte("3"), false, "1"},
				{[]byte("1"), []byte("3"), true, "3"},
				{[]byte("3"), []byte{}, true, ""},
				{[]byte{}, nil, true, "-"},
				{nil, nil, true, "-"},
			}
			for i, step := range steps {
				got, err := s.Swap(ctx, mine, "k", step.old, step.value)
				if got != step.want || err != nil {
					t.Fatalf("step %d: %v, %v", i, got, err)
				}
				value, err := s.Get(ctx, mine, "k")
				if step.then == "-" {
					want(t, fmt.Sprint("step ", i), err, NotFound)
				} else if err != nil || string(value) != step.then {
					t.Fatalf("step %d: then %q, %v", i, value, err)
				}
			}
		})
	}
}

func TestListIsInOrderAndByPages(t *testing.T) {
	ctx := t.Context()
	for name, s := range stores(t, Options{}) {
		t.Run(name, func(t *testing.T) {
			for _, key := range []string{"b/2", "a", "b/1", "c", "b/10", "b"} {
				want(t, key, s.Put(ctx, mine, key, nil), "")
			}
			for _, tt := range []struct {
				prefix, after string
				limit         int
				want          []string
			}{
				{"", "", 100, []string{"a", "b", "b/1", "b/10", "b/2", "c"}},
				{"b/", "", 100, []string{"b/1", "b/10", "b/2"}},
				{"b/", "b/1", 1, []string{"b/10"}},
				{"b/", "c", 100, nil},
				{"b/", "a", 2, []string{"b/1", "b/10"}},
				{"x", "", 100, nil},
				{"", "", 0, nil},
			} {
				got, err := s.List(ctx, mine, tt.prefix, tt.after, tt.limit)
				if err != nil || !slices.Equal(got, tt.want) {
					t.Errorf("%q after %q: %q, %v; want %q", tt.prefix, tt.after, got, err, tt.want)
				}
			}
		})
	}
}

// No name of a tenant or tool reaches the store of another.
func TestNamespacesAreApart(t *testing.T) {
	ctx := t.Context()
	names := []string{"", "a", "A", "b", "ab", "../a", "a/b", "a\\b", "con", "\x00", "a\x00b", strings.Repeat("x", 300)}
	for name, s := range stores(t, Options{}) {
		t.Run(name, func(t *testing.T) {
			for i, tenant := range names {
				for j, tool := range names {
					want(t, "put", s.Put(ctx, Namespace{tenant, tool}, "k", []byte(fmt.Sprint(i, " ", j))), "")
				}
			}
			for i, tenant := range names {
				for j, tool := range names {
					got, err := s.Get(ctx, Namespace{tenant, tool}, "k")
					if err != nil || string(got) != fmt.Sprint(i, " ", j) {
						t.Fatalf("%q %q: %q, %v", tenant, tool, got, err)
					}
				}
			}
		})
	}
}

func TestQuotas(t *testing.T) {
	ctx := t.Context()
	for name, s := range stores(t, Options{MaxKeys: 3, MaxBytes: 100, MaxValueBytes: 60}) {
		t.Run(name, func(t *testing.T) {
			large := make([]byte, 60)
			want(t, "no key", s.Put(ctx, mine, "", nil), BadKey)
			want(t, "not UTF-8", s.Put(ctx, mine, "\xff", nil), BadKey)
			want(t, "NUL", s.Put(ctx, mine, "a\x00", nil), BadKey)
			want(t, "a long key", s.Put(ctx, mine, strings.Repeat("k", MaxKeyBytes+1), nil), KeyTooLong)
			want(t, "a large value", s.Put(ctx, mine, "a", make([]byte, 61)), ValueTooLong)
			_, err := s.Get(ctx, mine, "")
			want(t, "getting no key", err, BadKey)
			want(t, "first", s.Put(ctx, mine, "a", large), "")
			want(t, "beyond the bytes", s.Put(ctx, mine, "b", large), QuotaBytes)
			want(t, "again", s.Put(ctx, mine, "a", large), "")
			want(t, "second", s.Put(ctx, mine, "b", nil), "")
			want(t, "third", s.Put(ctx, mine, "c", nil), "")
			want(t, "beyond the keys", s.Put(ctx, mine, "d", nil), QuotaKeys)
			_, err = s.Swap(ctx, mine, "d", nil, []byte("x"))
			want(t, "beyond the keys by Swap", err, QuotaKeys)
			want(t, "another's", s.Put(ctx, Namespace{"t", "b"}, "d", large), "")
			want(t, "making room", s.Delete(ctx, mine, "a"), "")
			want(t, "with room", s.Put(ctx, mine, "d", large), "")
		})
	}
}

func TestStoreHeedsTheContext(t *testing.T) {
	for name, s := range stores(t, Options{}) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.Get(ctx, mine, "a")
		want(t, name, err, Timeout)
		want(t, name, s.Put(ctx, mine, "a", nil), Timeout)
	}
}

// Two processes count together and lose nothing; two Stores lock each other out like them.
func TestTwoStoresOfOneFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kv")
	const each = 20
	var wg sync.WaitGroup
	for range 2 {
		s := NewBolt(dir, Options{})
		wg.Go(func() {
			for range each {
				for {
					old, err := s.Get(t.Context(), mine, "n")
					if err != nil && kindOf(err) != NotFound {
						t.Error(err)
						return
					}
					n, _ := strconv.Atoi(string(old))
					swapped, err := s.Swap(t.Context(), mine, "n", old, []byte(strconv.Itoa(n+1)))
					if err != nil {
						t.Error(err)
						return
					}
					if swapped {
						break
					}
				}
			}
		})
	}
	wg.Wait()
	s := NewBolt(dir, Options{})
	if got, err := s.Get(t.Context(), mine, "n"); err != nil || string(got) != strconv.Itoa(2*each) {
		t.Errorf("counted to %q, %v; want %d", got, err, 2*each)
	}
}

// crashDir tells the child of TestCrash where to write.
const crashDir = "WASMTOOL_KV_CRASH_DIR"

// A process that is killed while it writes leaves what it had said was written.
func TestCrash(t *testing.T) {
	if dir := os.Getenv(crashDir); dir != "" {
		s := NewBolt(dir, Options{})
		var err error
		for n := 0; err == nil; n++ {
			if err = s.Put(context.Background(), mine, fmt.Sprintf("%06d", n), bytes.Repeat([]byte{byte(n)}, 1000)); err == nil {
				fmt.Println(n)
			}
		}
		t.Fatal(err)
	}
	for _, lines := range []int{1, 5, 20} {
		dir := filepath.Join(t.TempDir(), "kv")
		child := exec.Command(os.Args[0], "-test.run", "^TestCrash$")
		child.Env = append(os.Environ(), crashDir+"="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		last := -1
		for scanner := bufio.NewScanner(out); last+1 < lines && scanner.Scan(); {
			if last, err = strconv.Atoi(scanner.Text()); err != nil {
				t.Fatal(err)
			}
		}
		_ = child.Process.Kill()
		_ = child.Wait()
		s := NewBolt(dir, Options{})
		for n := range last + 1 {
			got, err := s.Get(t.Context(), mine, fmt.Sprintf("%06d", n))
			if err != nil || !bytes.Equal(got, bytes.Repeat([]byte{byte(n)}, 1000)) {
				t.Fatalf("value %d of %d: %d bytes, %v", n, last+1, len(got), err)
			}
		}
		want(t, "going on", s.Put(t.Context(), mine, "more", nil), "")
	}
}

// A file that is damaged gives an error, whatever the damage is, and never takes the
// process down or hangs it.
func TestDamagedFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kv")
	s := NewBolt(dir, Options{})
	for n := range 50 {
		want(t, "put", s.Put(t.Context(), mine, fmt.Sprint(n), bytes.Repeat([]byte("v"), 500)), "")
	}
	path := filepath.Join(dir, mine.fileName())
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	use := func(what string, damaged []byte) {
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		s := NewBolt(dir, Options{}) // as the next process does
		for _, err := range []error{s.Put(ctx, mine, "x", nil), func() error { _, err := s.List(ctx, mine, "", "", 1000); return err }()} {
			if k := kindOf(err); k == Timeout || strings.HasPrefix(string(k), "not ours") || err != nil && strings.Contains(err.Error(), dir) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	use("text", []byte(strings.Repeat("this is no store\n", 2000)))
	use("cut short", good[:len(good)/2])
	for at := 0; at < len(good); at += 997 {
		damaged := bytes.Clone(good)
		for i := at; i < min(at+64, len(damaged)); i++ {
			damaged[i] ^= 0x5a
		}
		use(fmt.Sprint("bytes at ", at), damaged)
	}
	// A file put in another's place is refused.
	if err := os.WriteFile(filepath.Join(dir, Namespace{"t", "b"}.fileName()), good, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = s.Get(t.Context(), Namespace{"t", "b"}, "1")
	want(t, "another's file", err, Corrupt)
}

func TestFolderOfOthersIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil || !othersMay(info) {
		t.Skip("modes say nothing here")
	}
	want(t, "a folder that others may enter", NewBolt(dir, Options{}).Put(t.Context(), mine, "a", nil), Unavailable)
}

func FuzzKeys(f *testing.F) {
	f.Add("a", []byte("v"))
	f.Add("", []byte(nil))
	f.Add("\xff/../", []byte("x"))
	f.Fuzz(func(t *testing.T, key string, value []byte) {
		m := NewMemory(Options{})
		err := m.Put(t.Context(), mine, key, value)
		got, getErr := m.Get(t.Context(), mine, key)
		if (err == nil) != (getErr == nil) || err == nil && !bytes.Equal(got, value) {
			t.Errorf("put %v, got %q, %v", err, got, getErr)
		}
	})
}
