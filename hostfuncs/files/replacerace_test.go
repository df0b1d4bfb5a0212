//go:build unix

package files_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// flicker creates files of different kinds under one name, each in place of the previous file,
// until the test ends. Unlike swap, flicker continues if another file replaces one of these files.
func flicker(t *testing.T, name string, makes ...func(at string) error) {
	t.Helper()
	var stop atomic.Bool
	var flickerer sync.WaitGroup
	flickerer.Go(func() {
		for !stop.Load() {
			for _, makeIt := range makes {
				spare := name + ".spare"
				if err := errors.Join(makeIt(spare), os.Rename(spare, name)); err != nil {
					t.Errorf("flicker: %v", err)
					return
				}
			}
		}
	})
	t.Cleanup(func() {
		stop.Store(true)
		flickerer.Wait()
	})
}

// TestLinkSwapRaceOnReplacing covers A13 and A7: while a name is swapped between an allowed and a
// forbidden file, no forbidden file changes, no operation blocks, and no temporary file is left.
func TestLinkSwapRaceOnReplacing(t *testing.T) {
	deny := []string{"secret/**"}
	link := func(target string) func(at string) error {
		return func(at string) error { return os.Symlink(target, at) }
	}
	fifo := func(at string) error { return syscall.Mkfifo(at, 0o644) }
	for _, r := range []struct {
		name  string
		deny  []string
		file  bool // swap a file instead of a directory
		other func(at string) error
	}{
		{"directory and link to outside", nil, false, link("../out")},
		{"directory and FIFO", nil, false, fifo},
		{"file and link to outside", nil, true, link("../out/f")},
		{"file and FIFO", nil, true, fifo},
		{"deny, directory and link to outside", deny, false, link("../out")},
		{"deny, directory and link to denied", deny, false, link("secret")},
		{"deny, directory and FIFO", deny, false, fifo},
		{"deny, file and link to denied", deny, true, link("secret/f")},
		{"deny, file and FIFO", deny, true, fifo},
	} {
		t.Run(r.name, func(t *testing.T) {
			top := t.TempDir()
			ws := filepath.Join(top, "ws")
			for _, protected := range []string{"out", "ws/secret"} {
				write(t, top, map[string]string{protected + "/f": canary, protected + "/g": canary})
			}
			out, secret := snapshot(t, filepath.Join(top, "out")), snapshot(t, filepath.Join(ws, "secret"))
			view := newFSWith(t, files.Options{MaxCreated: 1 << 30, MaxWritten: 1 << 40}, readWrite("w", ws, r.deny...)).View("/w")
			t.Run("race", func(t *testing.T) { // the swapping stops when this subtest ends
				paths := []string{"d/f", "d/new"}
				if r.file {
					paths = []string{"d"}
					flicker(t, filepath.Join(ws, "d"), func(at string) error { return os.WriteFile(at, []byte("fine"), 0o644) }, r.other)
				} else {
					write(t, ws, map[string]string{"d/f": "fine"})
					if err := r.other(filepath.Join(ws, "l")); err != nil {
						t.Fatal(err)
					}
					swap(t, ws, "d", "l")
				}
				least, most := testlevel.Size(500, 2500), 200_000
				done, refused := 0, 0
				for i := 0; i < most && (i < least || done == 0 || refused == 0); i++ {
					var seen *files.Seen
					name := paths[i%len(paths)]
					if i%3 == 0 {
						if info, err := view.Lstat(name); err == nil {
							seen = &files.Seen{Size: info.Size(), ModTime: info.ModTime()}
						}
					}
					switch err := view.Replace(name, []byte("mine"), seen); {
					case err == nil:
						done++
					case errors.Is(err, fs.ErrPermission), errors.Is(err, files.ErrLoop), errors.Is(err, files.ErrNotDir):
						refused++
					case errors.Is(err, fs.ErrNotExist), errors.Is(err, files.ErrChanged):
					default:
						t.Fatalf("after %d operations: %v", i, err)
					}
				}
				if done == 0 || refused == 0 {
					t.Errorf("met no swap: %d done, %d refused", done, refused)
				}
			})
			if after := snapshot(t, filepath.Join(top, "out")); !slices.Equal(out, after) {
				t.Errorf("outside changed:\n%q\n%q", out, after)
			}
			if after := snapshot(t, filepath.Join(ws, "secret")); !slices.Equal(secret, after) {
				t.Errorf("denied files changed:\n%q\n%q", secret, after)
			}
			for _, name := range filesIn(t, top) {
				if strings.Contains(name, files.TempPrefix) {
					t.Errorf("left behind: %q", name)
				}
			}
		})
	}
}

// TestReplacesOfACallLoseNothing checks that concurrent replacements within a call do not overwrite
// each other: afterwards the file contains each written line exactly once.
func TestReplacesOfACallLoseNothing(t *testing.T) {
	const writers, each = 4, 50
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": ""})
	fsys := newFS(t, readWrite("w", dir))
	var all sync.WaitGroup
	var stale atomic.Int64
	for w := range writers {
		all.Go(func() {
			room := make([]byte, 64<<10)
			for i := 0; i < each; {
				a := batch(fsys, "/w/f").Read(len(room), room)[0]
				if a.Err != nil {
					t.Errorf("read: %v", a.Err)
					return
				}
				// Each line makes the file longer, so contents differ in size even if the clock is
				// coarse.
				content := fmt.Appendf(slices.Clip(a.Content), "%d %d\n", w, i)
				switch err := fsys.View("/w").Replace("f", content, &files.Seen{Size: a.Size, ModTime: a.ModTime}); {
				case err == nil:
					i++
				case errors.Is(err, files.ErrChanged):
					stale.Add(1)
				default:
					t.Errorf("replace: %v", err)
					return
				}
			}
		})
	}
	all.Wait()
	content, err := os.ReadFile(filepath.Join(dir, "f"))
	if err != nil {
		t.Fatal(err)
	}
	var next [writers]int
	for line := range strings.Lines(string(content)) {
		var w, i int
		if _, err := fmt.Sscanf(line, "%d %d\n", &w, &i); err != nil || i != next[w] {
			t.Fatalf("line %q comes where %d of it is due: %v", line, next[w], err)
		}
		next[w]++
	}
	if next != [writers]int{each, each, each, each} {
		t.Errorf("of each there are %d lines, want %d; %d were stale", next, each, stale.Load())
	}
}

// TestClosingWhileReplacing ends the call at a random moment. Either the old or the new content
// must be complete, with no temporary file. Run it with the race detector.
func TestClosingWhileReplacing(t *testing.T) {
	in := t.TempDir()
	contents := []string{"old", strings.Repeat("a", 9<<20), strings.Repeat("b", 5<<20)}
	for round := range 20 {
		dir := t.TempDir()
		write(t, dir, map[string]string{"f": contents[0]})
		fsys, err := files.New(grants(readWrite("w", dir, "none"), scratch()), files.Options{ScratchIn: in, MaxWritten: 1 << 40})
		if err != nil {
			t.Fatal(err)
		}
		begun := make(chan struct{})
		var once sync.Once
		var users sync.WaitGroup
		for i, at := range []string{"/w", "/w", "/tmp"} {
			view := fsys.View(at)
			users.Go(func() {
				for {
					err := view.Replace("f", []byte(contents[1+i%2]), nil)
					if errors.Is(err, fs.ErrClosed) {
						return
					}
					once.Do(func() { close(begun) })
					if err != nil {
						t.Errorf("replace: %v", err)
						return
					}
				}
			})
		}
		if round%2 == 0 {
			<-begun
		}
		closed(t, fsys)
		users.Wait()
		if got := filesIn(t, dir); !slices.Equal(got, []string{"f"}) {
			t.Fatalf("there is %q", got)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || !slices.Contains(contents, string(got)) {
			t.Fatalf("half a file of %d bytes, %v", len(got), err)
		}
	}
	if got := filesIn(t, in); len(got) != 0 {
		t.Errorf("scratch left behind: %q", got)
	}
}
