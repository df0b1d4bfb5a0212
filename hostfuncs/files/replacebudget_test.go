package files_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// TestReplaceIsBounded uses up each limit exactly. The operation that would exceed it fails and
// changes nothing.
func TestReplaceIsBounded(t *testing.T) {
	for _, test := range []struct {
		name  string
		o     files.Options
		fit   []int // sizes of writes that succeed, in order
		over  int   // the size of a further write, which fails
		limit string
	}{
		{"size of a file", files.Options{MaxFileSize: 16}, []int{16, 0, 16}, 17, "bytes of a file (16)"},
		{"bytes written", files.Options{MaxWritten: 16}, []int{10, 6, 0}, 1, "bytes written (16)"},
		{"bytes written at once", files.Options{MaxWritten: 16}, nil, 17, "bytes written (16)"},
		{"files created", files.Options{MaxCreated: 3}, []int{1, 0, 1}, 0, "files created (3)"},
	} {
		for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
			t.Run(test.name+"/"+mount, func(t *testing.T) {
				dir := t.TempDir()
				// A file that exceeds all limits existed before the call.
				last := strings.Repeat("o", 100)
				write(t, dir, map[string]string{"f": last})
				fsys := newFSWith(t, test.o, readWrite("w", dir, deny...))
				view := fsys.View("/w")
				for _, size := range test.fit {
					last = strings.Repeat("x", size)
					if err := view.Replace("f", []byte(last), nil); err != nil {
						t.Fatalf("%d bytes: %v", size, err)
					}
				}
				if got := fsys.LimitHit(); got != "" {
					t.Errorf("LimitHit: %q", got)
				}
				for _, name := range []string{"f", "new"} {
					if err := view.Replace(name, make([]byte, test.over), nil); !errors.Is(err, files.ErrLimit) {
						t.Errorf("%s beyond the limit: %v", name, err)
					}
				}
				if got := fsys.LimitHit(); got != test.limit {
					t.Errorf("LimitHit: %q", got)
				}
				holds(t, filepath.Join(dir, "f"), last)
				if got := filesIn(t, dir); !slices.Equal(got, []string{"f"}) {
					t.Errorf("there is %q", got)
				}
			})
		}
	}
}

// TestRefusedReplacesDoNotCount checks that a refused operation counts towards no limit.
func TestRefusedReplacesDoNotCount(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "old", "d/g": "old"})
	fsys := newFSWith(t, files.Options{MaxWritten: 4, MaxCreated: 1}, readWrite("w", dir, "denied"))
	view := fsys.View("/w")
	for range 5 {
		for name, seen := range map[string]*files.Seen{
			"f": {None: true}, "new": {Size: 3}, "d": nil, "d/": nil, "none/f": nil, "f/x": nil, "../f": nil, "": nil, "denied": nil, ".": nil,
		} {
			if err := view.Replace(name, []byte("abcd"), seen); err == nil || errors.Is(err, files.ErrLimit) {
				t.Fatalf("%q: %v", name, err)
			}
		}
	}
	// Exceeding one limit does not count towards the others either.
	if err := view.Replace("f", []byte("abcde"), nil); !errors.Is(err, files.ErrLimit) {
		t.Fatal(err)
	}
	if err := view.Replace("f", []byte("ab"), nil); err != nil {
		t.Fatal(err)
	}
	if err := view.Replace("f", []byte("cd"), nil); !errors.Is(err, files.ErrLimit) {
		t.Fatalf("a second file created: %v", err)
	}
	f, err := view.Open("f", files.OpenWrite)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("xy"), 0); err != nil {
		t.Errorf("the two bytes that are left: %v", err)
	}
	if _, err := f.WriteAt([]byte("z"), 0); !errors.Is(err, files.ErrLimit) {
		t.Errorf("one more: %v", err)
	}
	holds(t, filepath.Join(dir, "f"), "xy")
}
