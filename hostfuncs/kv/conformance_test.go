package kv_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/kv"
)

var here = kv.Namespace{Tenant: "acme", Tool: "notes"}

// stores lists the implementations of Store, which must all behave in the same way.
var stores = map[string]func(testing.TB, kv.Options) kv.Store{
	"memory": func(_ testing.TB, o kv.Options) kv.Store { return kv.NewMemory(o) },
	"bolt":   func(t testing.TB, o kv.Options) kv.Store { return openBolt(t, filepath.Join(t.TempDir(), "kv"), o) },
}

func openBolt(t testing.TB, dir string, o kv.Options) *kv.Bolt {
	t.Helper()
	s, err := kv.OpenBolt(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func each(t *testing.T, o kv.Options, test func(*testing.T, kv.Store)) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, o)
			t.Cleanup(func() { s.Close() })
			test(t, s)
		})
	}
}

func wantKind(t *testing.T, err error, want kv.Kind) {
	t.Helper()
	var e *kv.Error
	if !errors.As(err, &e) || e.Kind != want {
		t.Fatalf("error is %v, want kind %s", err, want)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantValue(t *testing.T, s kv.Store, ns kv.Namespace, key, want string) {
	t.Helper()
	got, err := s.Get(t.Context(), ns, key)
	must(t, err)
	if got == nil || string(got) != want {
		t.Fatalf("value of %q is %#v, want %q", key, got, want)
	}
}

func TestValuesComeBack(t *testing.T) {
	each(t, kv.Options{}, func(t *testing.T, s kv.Store) {
		ctx := t.Context()
		_, err := s.Get(ctx, here, "k")
		wantKind(t, err, kv.NotFound)
		must(t, s.Delete(ctx, here, "k"))

		for _, value := range []string{"one", "two", "", "\x00\xff", strings.Repeat("long", 100_000)} {
			must(t, s.Put(ctx, here, "k", []byte(value)))
			wantValue(t, s, here, "k", value)
		}
		must(t, s.Put(ctx, here, "k", nil))
		wantValue(t, s, here, "k", "")

		must(t, s.Delete(ctx, here, "k"))
		_, err = s.Get(ctx, here, "k")
		wantKind(t, err, kv.NotFound)
	})
}

func TestCallersKeepTheirSlices(t *testing.T) {
	each(t, kv.Options{}, func(t *testing.T, s kv.Store) {
		mine := []byte("value")
		must(t, s.Put(t.Context(), here, "k", mine))
		mine[0] = 'X'
		wantValue(t, s, here, "k", "value")
		got, err := s.Get(t.Context(), here, "k")
		must(t, err)
		got[0] = 'X'
		wantValue(t, s, here, "k", "value")
	})
}

func TestSwap(t *testing.T) {
	empty := []byte{}
	for _, c := range []struct {
		name          string
		now, old, new []byte
		swapped       bool
		then          []byte
	}{
		{"create", nil, nil, []byte("n"), true, []byte("n")},
		{"create an existing key", []byte("v"), nil, []byte("n"), false, []byte("v")},
		{"create over an empty value", empty, nil, []byte("n"), false, empty},
		{"replace", []byte("v"), []byte("v"), []byte("n"), true, []byte("n")},
		{"replace another", []byte("v"), []byte("w"), []byte("n"), false, []byte("v")},
		{"replace empty", empty, empty, []byte("n"), true, []byte("n")},
		{"replace an absent value", nil, empty, []byte("n"), false, nil},
		{"set to empty", []byte("v"), []byte("v"), empty, true, empty},
		{"delete", []byte("v"), []byte("v"), nil, true, nil},
		{"delete another", []byte("v"), []byte("w"), nil, false, []byte("v")},
		{"check absent", nil, nil, nil, true, nil},
		{"check same", []byte("v"), []byte("v"), []byte("v"), true, []byte("v")},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, kv.Options{}, func(t *testing.T, s kv.Store) {
				if c.now != nil {
					must(t, s.Put(t.Context(), here, "k", c.now))
				}
				swapped, err := s.Swap(t.Context(), here, "k", c.old, c.new)
				must(t, err)
				if swapped != c.swapped {
					t.Errorf("swapped is %v", swapped)
				}
				if c.then != nil {
					wantValue(t, s, here, "k", string(c.then))
					return
				}
				_, err = s.Get(t.Context(), here, "k")
				wantKind(t, err, kv.NotFound)
			})
		})
	}
}

func TestSwapLosesNoCount(t *testing.T) {
	const workers, rounds = 4, 10
	each(t, kv.Options{}, func(t *testing.T, s kv.Store) {
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for range rounds {
					if err := increment(t.Context(), s, "n"); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		wantValue(t, s, here, "n", fmt.Sprint(workers*rounds))
	})
}

// increment adds one to a counter.
func increment(ctx context.Context, s kv.Store, key string) error {
	for {
		old, err := s.Get(ctx, here, key)
		var e *kv.Error
		if err != nil && (!errors.As(err, &e) || e.Kind != kv.NotFound) {
			return err
		}
		n := 0
		if old != nil {
			if _, err := fmt.Sscan(string(old), &n); err != nil {
				return err
			}
		}
		if swapped, err := s.Swap(ctx, here, key, old, fmt.Append(nil, n+1)); err != nil || swapped {
			return err
		}
	}
}

func TestList(t *testing.T) {
	each(t, kv.Options{}, func(t *testing.T, s kv.Store) {
		if keys, err := s.List(t.Context(), here, "", "", 0); err != nil || len(keys) != 0 {
			t.Fatalf("an empty namespace lists %q, %v", keys, err)
		}
		for _, key := range []string{"b/2", "a", "b", "b/1", "b/3", "é", "c", "B"} {
			must(t, s.Put(t.Context(), here, key, nil))
		}
		for _, c := range []struct {
			prefix, after string
			limit         int
			want          string
		}{
			{"", "", 0, "B a b b/1 b/2 b/3 c é"},
			{"", "", -1, "B a b b/1 b/2 b/3 c é"},
			{"", "", 3, "B a b"},
			{"", "b", 3, "b/1 b/2 b/3"},
			{"b/", "", 0, "b/1 b/2 b/3"},
			{"b/", "b/1", 1, "b/2"},
			{"b/", "b/15", 0, "b/2 b/3"},
			{"b/", "a", 0, "b/1 b/2 b/3"},
			{"b/", "c", 0, ""},
			{"z", "", 0, ""},
			{"", "é", 0, ""},
		} {
			keys, err := s.List(t.Context(), here, c.prefix, c.after, c.limit)
			must(t, err)
			if got := strings.Join(keys, " "); got != c.want {
				t.Errorf("List(%q, %q, %d) is %q, want %q", c.prefix, c.after, c.limit, got, c.want)
			}
		}
	})
}

func TestBadInput(t *testing.T) {
	long := strings.Repeat("k", kv.MaxKeyBytes+1)
	for _, c := range []struct {
		name string
		ns   kv.Namespace
		key  string
		kind kv.Kind
	}{
		{"empty key", here, "", kv.BadKey},
		{"not UTF-8", here, "a\xff", kv.BadKey},
		{"long key", here, long, kv.KeyTooLong},
		{"no tool", kv.Namespace{Tenant: "t"}, "k", kv.BadKey},
		{"long tool", kv.Namespace{Tool: strings.Repeat("t", kv.MaxNameBytes+1)}, "k", kv.KeyTooLong},
		{"long tenant", kv.Namespace{Tenant: strings.Repeat("t", kv.MaxNameBytes+1), Tool: "t"}, "k", kv.KeyTooLong},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, kv.Options{}, func(t *testing.T, s kv.Store) {
				_, err := s.Get(t.Context(), c.ns, c.key)
				wantKind(t, err, c.kind)
				wantKind(t, s.Put(t.Context(), c.ns, c.key, nil), c.kind)
				wantKind(t, s.Delete(t.Context(), c.ns, c.key), c.kind)
				_, err = s.Swap(t.Context(), c.ns, c.key, nil, nil)
				wantKind(t, err, c.kind)
				if c.key != "" {
					_, err = s.List(t.Context(), c.ns, c.key, "", 0)
					wantKind(t, err, c.kind)
					_, err = s.List(t.Context(), c.ns, "", c.key, 0)
					wantKind(t, err, c.kind)
				}
			})
		})
	}
}

func TestLongestKeyIsAllowed(t *testing.T) {
	each(t, kv.Options{}, func(t *testing.T, s kv.Store) {
		key := strings.Repeat("k", kv.MaxKeyBytes)
		must(t, s.Put(t.Context(), here, key, []byte("v")))
		wantValue(t, s, here, key, "v")
	})
}

func TestQuotas(t *testing.T) {
	each(t, kv.Options{MaxKeys: 2, MaxBytes: 20, MaxValueBytes: 10}, func(t *testing.T, s kv.Store) {
		ctx := t.Context()
		wantKind(t, s.Put(ctx, here, "a", make([]byte, 11)), kv.ValueTooLong)
		must(t, s.Put(ctx, here, "a", make([]byte, 9)))
		must(t, s.Put(ctx, here, "b", make([]byte, 9)))
		wantKind(t, s.Put(ctx, here, "b", make([]byte, 10)), kv.QuotaBytes)
		wantKind(t, s.Put(ctx, here, "c", nil), kv.QuotaKeys)
		_, err := s.Swap(ctx, here, "c", nil, []byte{})
		wantKind(t, err, kv.QuotaKeys)

		// A refused write changes nothing, and another namespace has its own quotas.
		wantValue(t, s, here, "b", strings.Repeat("\x00", 9))
		must(t, s.Put(ctx, kv.Namespace{Tool: "notes"}, "c", nil))

		must(t, s.Put(ctx, here, "b", make([]byte, 9)))
		must(t, s.Put(ctx, here, "b", nil))
		must(t, s.Delete(ctx, here, "a"))
		must(t, s.Put(ctx, here, "c", make([]byte, 10)))
	})
}

func TestNamespacesShareNothing(t *testing.T) {
	spaces := []kv.Namespace{
		{Tenant: "", Tool: "ab"},
		{Tenant: "a", Tool: "b"},
		{Tenant: "b", Tool: "a"},
		{Tenant: "A", Tool: "b"},
		{Tenant: "a", Tool: "B"},
		{Tenant: "a/b", Tool: "c"},
		{Tenant: "a", Tool: "b/c"},
		{Tenant: "a\x00", Tool: "b"},
		{Tenant: "a", Tool: "\x00b"},
		{Tenant: "..", Tool: "../.."},
		{Tenant: "é", Tool: "b"},
		{Tenant: "e\u0301", Tool: "b"},
		{Tenant: "\xff", Tool: "b"},
		{Tenant: "\xfe", Tool: "b"},
		{Tenant: "CON", Tool: "nul"},
	}
	each(t, kv.Options{}, func(t *testing.T, s kv.Store) {
		for i, ns := range spaces {
			must(t, s.Put(t.Context(), ns, "k", []byte{byte(i)}))
			must(t, s.Put(t.Context(), ns, fmt.Sprint("own", i), nil))
		}
		must(t, s.Delete(t.Context(), spaces[0], "k"))
		for i, ns := range spaces[1:] {
			wantValue(t, s, ns, "k", string([]byte{byte(i + 1)}))
			keys, err := s.List(t.Context(), ns, "", "", 0)
			must(t, err)
			if want := []string{"k", fmt.Sprint("own", i+1)}; !slices.Equal(keys, want) {
				t.Errorf("namespace %q lists %q, want %q", ns, keys, want)
			}
		}
	})
}

func TestEndedContext(t *testing.T) {
	each(t, kv.Options{}, func(t *testing.T, s kv.Store) {
		why := errors.New("the caller left")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		err := s.Put(ctx, here, "k", nil)
		wantKind(t, err, kv.Timeout)
		if !errors.Is(err, why) {
			t.Errorf("%v does not wrap the cause", err)
		}
		_, err = s.Get(ctx, here, "k")
		wantKind(t, err, kv.Timeout)
		_, err = s.List(ctx, here, "", "", 0)
		wantKind(t, err, kv.Timeout)
	})
}

func TestClosed(t *testing.T) {
	each(t, kv.Options{}, func(t *testing.T, s kv.Store) {
		must(t, s.Close())
		must(t, s.Close())
		_, err := s.Get(t.Context(), here, "k")
		wantKind(t, err, kv.Unavailable)
		wantKind(t, s.Put(t.Context(), here, "k", nil), kv.Unavailable)
		wantKind(t, s.Delete(t.Context(), here, "k"), kv.Unavailable)
		_, err = s.List(t.Context(), here, "", "", 0)
		wantKind(t, err, kv.Unavailable)
	})
}

// FuzzKeys compares both implementations with a map.
func FuzzKeys(f *testing.F) {
	f.Add("a", "b", []byte("v"))
	f.Add("", "\xff", []byte(nil))
	f.Add("é", "e\u0301", []byte{0})
	f.Add(strings.Repeat("k", 512), strings.Repeat("k", 513), []byte("v"))
	open := map[string]kv.Store{}
	for name, fn := range stores {
		open[name] = fn(f, kv.Options{})
	}
	f.Fuzz(func(t *testing.T, a, b string, value []byte) {
		for name, s := range open {
			model := map[string][]byte{}
			for _, key := range []string{a, b} {
				if err := s.Put(t.Context(), here, key, value); err == nil {
					model[key] = value
				} else if e := (*kv.Error)(nil); !errors.As(err, &e) {
					t.Fatalf("%s: error is a %T", name, err)
				}
			}
			var want []string
			for key := range model {
				want = append(want, key)
				got, err := s.Get(t.Context(), here, key)
				if err != nil || !bytes.Equal(got, value) {
					t.Fatalf("%s: %q is %q, %v", name, key, got, err)
				}
			}
			slices.Sort(want)
			got, err := s.List(t.Context(), here, "", "", 0)
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s: lists %q, %v, want %q", name, got, err, want)
			}
			for key := range model {
				if err := s.Delete(t.Context(), here, key); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
