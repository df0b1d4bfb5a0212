package kv_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/kv"
	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// image returns a file with branch, leaf, overflow and free pages.
func image(t testing.TB) (dir, path string, raw []byte) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "kv")
	s := openBolt(t, dir, kv.Options{})
	for i := range 60 {
		must(t, s.Put(t.Context(), here, fmt.Sprintf("%03d", i), bytes.Repeat([]byte{byte(i)}, 700)))
	}
	must(t, s.Put(t.Context(), here, "large", make([]byte, 20_000)))
	must(t, s.Delete(t.Context(), here, "030"))
	path = onlyFile(t, dir)
	raw, err := os.ReadFile(path)
	must(t, err)
	return dir, path, raw
}

// use makes the calls that a guest may make, and reports whether the file is damaged. Any other
// error fails the test.
func use(t testing.TB, s kv.Store) (damaged bool) {
	t.Helper()
	ctx := t.Context()
	_, get := s.Get(ctx, here, "040")
	_, list := s.List(ctx, here, "", "", 0)
	put := s.Put(ctx, here, "041", make([]byte, 5000))
	remove := s.Delete(ctx, here, "large")
	for _, err := range []error{get, list, put, remove} {
		if err == nil {
			continue
		}
		e, ok := err.(*kv.Error)
		switch {
		case ok && e.Kind == kv.Corrupt:
			damaged = true
		case ok && e.Kind == kv.NotFound:
			// The damage may have changed one key into another.
		default:
			t.Fatalf("error is %v, want kind %s", err, kv.Corrupt)
		}
	}
	return damaged
}

func TestBoltReportsCorruption(t *testing.T) {
	dir, path, raw := image(t)
	page := os.Getpagesize()
	for _, c := range []struct {
		name string
		make func() []byte
	}{
		{"empty", func() []byte { return nil }},
		{"short", func() []byte { return raw[:100] }},
		{"cut", func() []byte { return raw[:8*page] }},
		{"another format", func() []byte { return bytes.Repeat([]byte("text\n"), 10_000) }},
		{"zeroes", func() []byte { return make([]byte, len(raw)) }},
		{"no meta pages", func() []byte { return append(make([]byte, 2*page), raw[2*page:]...) }},
		{"no other pages", func() []byte { return append(bytes.Clone(raw[:2*page]), make([]byte, len(raw)-2*page)...) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := c.make()
			must(t, os.WriteFile(path, bad, 0o600))
			if !use(t, openBolt(t, dir, kv.Options{})) {
				t.Fatal("the damage was not found")
			}
			if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, bad) {
				t.Error("the file was changed")
			}
		})
	}
}

// TestBoltSurvivesDamage damages the numbers in the header and elements of every page. Each call
// must return an error or an answer. bbolt alone would panic, loop or read outside the file. Except
// in long tests, a fifth of the numbers is damaged.
func TestBoltSurvivesDamage(t *testing.T) {
	dir, path, raw := image(t)
	page := os.Getpagesize()
	found := 0
	for at := 0; at+16 <= len(raw); at += page {
		for off := 0; off < 112; off += 2 {
			for _, b := range []byte{0x00, 0x01, 0x7f, 0xff} {
				if raw[at+off] == b {
					continue
				}
				step := testlevel.Size(5, 1)
				if at > 4*page {
					step = 23
				}
				if (off+int(b)+at/page)%step != 0 {
					continue
				}
				bad := bytes.Clone(raw)
				bad[at+off] = b
				must(t, os.WriteFile(path, bad, 0o600))
				s, err := kv.OpenBolt(dir, kv.Options{})
				must(t, err)
				if use(t, s) {
					found++
				}
				must(t, s.Close())
			}
		}
	}
	if found == 0 {
		t.Error("no damage was found")
	}
}

// TestBoltFindsDamageWhileOpen truncates a file that the store has already used.
func TestBoltFindsDamageWhileOpen(t *testing.T) {
	dir, path, raw := image(t)
	s := openBolt(t, dir, kv.Options{})
	if use(t, s) {
		t.Fatal("the file is damaged from the start")
	}
	must(t, os.Truncate(path, int64(len(raw)/4)))
	if !use(t, s) {
		t.Fatal("the damage was not found")
	}
	must(t, os.WriteFile(path, raw, 0o600))
	if use(t, s) {
		t.Error("the restored file is still refused")
	}
}

func TestBoltRefusesFileOfAnotherNamespace(t *testing.T) {
	dir, path, _ := image(t)
	other := kv.Namespace{Tenant: "rival", Tool: "notes"}
	s := openBolt(t, dir, kv.Options{})
	must(t, s.Put(t.Context(), other, "k", nil))
	for _, p := range files(t, dir) {
		if p != path {
			must(t, os.Rename(path, p))
		}
	}
	_, err := s.Get(t.Context(), other, "040")
	wantKind(t, err, kv.Corrupt)
}

func TestBoltFollowsNoLink(t *testing.T) {
	dir, path, _ := image(t)
	outside := filepath.Join(t.TempDir(), "outside")
	must(t, os.Rename(path, outside))
	if err := os.Symlink(outside, path); err != nil {
		t.Skip("links cannot be made here")
	}
	_, err := openBolt(t, dir, kv.Options{}).Get(t.Context(), here, "040")
	wantKind(t, err, kv.Corrupt)
	must(t, os.Remove(path))
	must(t, os.Mkdir(path, 0o700))
	_, err = openBolt(t, dir, kv.Options{}).Get(t.Context(), here, "040")
	wantKind(t, err, kv.Corrupt)
}

// FuzzDamage overwrites some bytes of a valid file.
func FuzzDamage(f *testing.F) {
	dir, path, raw := image(f)
	f.Add(uint32(0), []byte{1})
	f.Add(uint32(4096*5+8), []byte{1, 0, 255, 255})
	f.Add(uint32(4096*2+10), []byte{255, 255})
	f.Fuzz(func(t *testing.T, at uint32, with []byte) {
		bad := bytes.Clone(raw)
		copy(bad[int(at)%len(bad):], with)
		must(t, os.WriteFile(path, bad, 0o600))
		s, err := kv.OpenBolt(dir, kv.Options{})
		must(t, err)
		use(t, s)
		must(t, s.Close())
	})
}
