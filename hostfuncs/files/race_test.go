//go:build unix

package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// swap exchanges two names of dir repeatedly until the test ends.
func swap(t *testing.T, dir, a, b string) {
	t.Helper()
	a, b = filepath.Join(dir, a), filepath.Join(dir, b)
	spare := a + ".spare"
	var stop atomic.Bool
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for !stop.Load() {
			for _, move := range [][2]string{{a, spare}, {b, a}, {spare, b}} {
				if err := os.Rename(move[0], move[1]); err != nil {
					t.Errorf("swap: %v", err)
					return
				}
			}
		}
	})
	t.Cleanup(func() {
		stop.Store(true)
		swapper.Wait()
	})
}

// TestLinkSwapRace covers A13: while a name is swapped between an allowed and a forbidden file, the
// forbidden one is never read.
func TestLinkSwapRace(t *testing.T) {
	type race struct {
		name string
		deny []string
		// setUp fills the mount ws. Next to it is out/f, which contains the canary.
		setUp func(t *testing.T, ws string)
		a, b  string
		path  string
	}
	outside := func(t *testing.T, ws string) {
		write(t, ws, map[string]string{"d/f": "fine"})
		symlink(t, "../out", filepath.Join(ws, "l"))
	}
	absolute := func(t *testing.T, ws string) {
		write(t, ws, map[string]string{"d/f": "fine"})
		symlink(t, filepath.Join(filepath.Dir(ws), "out"), filepath.Join(ws, "l"))
	}
	file := func(t *testing.T, ws string) {
		write(t, ws, map[string]string{"d": "fine"})
		symlink(t, "../out/f", filepath.Join(ws, "l"))
	}
	denied := func(t *testing.T, ws string) {
		write(t, ws, map[string]string{"d/f": "fine", "secret/f": canary})
		symlink(t, "secret", filepath.Join(ws, "l"))
	}
	deniedDeep := func(t *testing.T, ws string) {
		write(t, ws, map[string]string{"d/x/f": "fine", "secret/x/f": canary})
		symlink(t, "secret", filepath.Join(ws, "l"))
	}
	deniedFile := func(t *testing.T, ws string) {
		write(t, ws, map[string]string{"d": "fine", "secret": canary})
		symlink(t, "secret", filepath.Join(ws, "l"))
	}
	pipe := func(t *testing.T, ws string) {
		write(t, ws, map[string]string{"d": "fine"})
		if err := syscall.Mkfifo(filepath.Join(ws, "l"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pipeDir := func(t *testing.T, ws string) {
		write(t, ws, map[string]string{"d/f": "fine"})
		if err := syscall.Mkfifo(filepath.Join(ws, "l"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// links returns a function that creates files and links. The canary is in the mount, too.
	links := func(links map[string]string) func(t *testing.T, ws string) {
		return func(t *testing.T, ws string) {
			write(t, ws, map[string]string{"f": "fine", "pub/f": "fine", "pub/sub/g": "fine", "secret/f": canary, "secret/sub/g": "fine"})
			for link, target := range links {
				symlink(t, target, filepath.Join(ws, link))
			}
		}
	}
	via := func(setUp func(t *testing.T, ws string)) func(t *testing.T, ws string) {
		return func(t *testing.T, ws string) {
			setUp(t, ws)
			symlink(t, "d", filepath.Join(ws, "via"))
		}
	}
	deny := []string{"secret/**"}
	for _, r := range []race{
		{"directory and link to outside", nil, outside, "d", "l", "d/f"},
		{"directory and absolute link", nil, absolute, "d", "l", "d/f"},
		{"file and link to outside", nil, file, "d", "l", "d"},
		{"deny, directory and link to outside", deny, outside, "d", "l", "d/f"},
		{"deny, directory and link to denied", deny, denied, "d", "l", "d/f"},
		{"deny, directory on the way and link to denied", deny, deniedDeep, "d", "l", "d/x/f"},
		{"deny, file and link to denied", deny, deniedFile, "d", "l", "d"},
		// The path contains a link that is followed.
		{"deny, link to a directory and link to denied", deny, links(map[string]string{"d": "pub", "l": "secret"}), "d", "l", "d/f"},
		{"deny, link to a file and link to denied", deny, links(map[string]string{"d": "pub/f", "l": "secret/f"}), "d", "l", "d"},
		{"deny, link to a file and link to outside", deny, links(map[string]string{"d": "pub/f", "l": "../out/f"}), "d", "l", "d"},
		{"deny, target of a link and link to outside", deny, via(outside), "d", "l", "via/f"},
		{"deny, target of a link and link to denied", deny, via(denied), "d", "l", "via/f"},
		{"deny, directory on the way after a link and link to denied", deny, via(deniedDeep), "d", "l", "via/x/f"},
		{"deny, file after a link and link to denied", deny, via(deniedFile), "d", "l", "via"},
		{"deny, target with .. over a link", []string{"secret/f"}, links(map[string]string{"d": "pub/sub", "l": "secret/sub", "via": "d/../f"}), "d", "l", "via"},
		{"deny, target with .. over a directory", []string{"secret/f"}, links(map[string]string{"l": "secret/sub", "via": "pub/../f"}), "pub", "l", "via"},
		// A7: opening never waits, even if a FIFO replaces the file while it is opened.
		{"file and FIFO", nil, pipe, "d", "l", "d"},
		{"deny, file and FIFO", deny, pipe, "d", "l", "d"},
		{"deny, directory and FIFO", deny, pipeDir, "d", "l", "d/f"},
		{"deny, file after a link and FIFO", deny, via(pipe), "d", "l", "via"},
	} {
		t.Run(r.name, func(t *testing.T) {
			top := t.TempDir()
			ws := filepath.Join(top, "ws")
			write(t, top, map[string]string{"out/f": canary})
			r.setUp(t, ws)
			view := newFS(t, read("w", ws, r.deny...)).View("/w")
			swap(t, ws, r.a, r.b)

			minTries, maxTries := testlevel.Size(1000, 8_000), 400_000
			fine, refused := 0, 0
			// The race is conclusive only if both outcomes occurred.
			for i := 0; i < maxTries && (i < minTries || fine == 0 || refused == 0); i++ {
				got, err := readFile(view, r.path)
				switch {
				case err == nil && got == "fine":
					fine++
				case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist), errors.Is(err, files.ErrNotDir), errors.Is(err, files.ErrLoop):
					refused++
				default:
					t.Fatalf("after %d opens read %q, %v", i, got, err)
				}
				if info, err := view.Stat(r.path); err == nil && info.Size() == int64(len(canary)) {
					t.Fatalf("after %d opens stat shows the canary", i)
				}
			}
			if fine == 0 || refused == 0 {
				t.Errorf("met no swap: %d read, %d refused", fine, refused)
			}
		})
	}
}

// TestLinkSwapRaceOnListing covers A13: while a directory is swapped with a link, the forbidden
// directory is never listed.
func TestLinkSwapRaceOnListing(t *testing.T) {
	for name, target := range map[string]string{"link to denied": "secret", "link to outside": "../out"} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			ws := filepath.Join(top, "ws")
			write(t, top, map[string]string{"ws/d/fine": "", "ws/secret/hidden": "", "out/hidden": ""})
			symlink(t, target, filepath.Join(ws, "l"))
			symlink(t, "d", filepath.Join(ws, "via"))
			view := newFS(t, read("w", ws, "secret/**")).View("/w")
			swap(t, ws, "d", "l")

			minTries, maxTries := testlevel.Size(500, 4_000), 400_000
			fine, refused := 0, 0
			for i := 0; i < maxTries && (i < minTries || fine == 0 || refused == 0); i++ {
				for _, dir := range []string{"d", "via", "via/"} {
					f, err := view.Open(dir, files.OpenDirectory)
					if err != nil {
						refused++
						continue
					}
					entries, err := f.ReadDir(0)
					_ = f.Close()
					if got := names(entries); err != nil || !slices.Equal(got, []string{"fine"}) {
						t.Fatalf("after %d lists of %s: %q, %v", i, dir, got, err)
					}
					fine++
				}
			}
			if fine == 0 || refused == 0 {
				t.Errorf("met no swap: %d listed, %d refused", fine, refused)
			}
		})
	}
}
