//go:build unix

package files_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// TestLinkSwapRaceOnWriting covers A13: while a name is swapped between an allowed and a forbidden
// file, no forbidden file is created, changed, moved or removed.
func TestLinkSwapRaceOnWriting(t *testing.T) {
	deny := []string{"secret/**"}
	for _, r := range []struct {
		name   string
		deny   []string
		target string // target of the link, which is below the mount
		file   bool   // swap a file instead of a directory
	}{
		{"directory and link to outside", nil, "../out", false},
		{"file and link to outside", nil, "../out/f", true},
		{"deny, directory and link to outside", deny, "../out", false},
		{"deny, directory and link to denied", deny, "secret", false},
		{"deny, file and link to denied", deny, "secret/f", true},
	} {
		t.Run(r.name, func(t *testing.T) {
			top := t.TempDir()
			ws := filepath.Join(top, "ws")
			for _, protected := range []string{"out", "ws/secret"} {
				write(t, top, map[string]string{protected + "/f": canary, protected + "/g": canary, protected + "/m/x": canary})
			}
			at := "d/"
			if r.file {
				write(t, ws, map[string]string{"d": "fine"})
				at = ""
			} else {
				write(t, ws, map[string]string{"d/f": "fine"})
			}
			symlink(t, r.target, filepath.Join(ws, "l"))
			out, secret := snapshot(t, filepath.Join(top, "out")), snapshot(t, filepath.Join(ws, "secret"))
			fsys := newFSWith(t, files.Options{MaxCreated: 1 << 30, MaxWritten: 1 << 40}, readWrite("w", ws, r.deny...))
			view := fsys.View("/w")
			swap(t, ws, "d", "l")

			ops := []func() error{
				func() error { return writeFile(view, at+"f", "mine") },
				func() error { return writeFile(view, at+"new", "mine") },
				func() error { return errors.Join(writeFile(view, "mine", "mine"), view.Rename("mine", at+"f")) },
				func() error { return view.Rename(at+"f", "stolen") },
				func() error { return view.Unlink(at + "new") },
				func() error { return view.Mkdir(at + "m") },
				func() error { return view.Rmdir(at + "m") },
				func() error { return view.Chtimes(at+"f", true, time.Unix(1, 0), time.Unix(1, 0)) },
			}
			if r.file {
				ops = []func() error{
					func() error {
						f, err := view.Open("d", files.OpenWrite|files.OpenTruncate)
						if err == nil {
							_, err = f.Write([]byte("mine"))
							err = errors.Join(err, f.Close())
						}
						return err
					},
					func() error { return view.Chtimes("d", true, time.Unix(1, 0), time.Unix(1, 0)) },
				}
			}
			least, most := testlevel.Size(1000, 8_000), 200_000
			done, refused := make([]int, len(ops)), 0
			for i := 0; i < most && (i < least || slices.Min(done) == 0 || refused == 0); i++ {
				err := ops[i%len(ops)]()
				switch {
				case err == nil:
					done[i%len(ops)]++
				case errors.Is(err, fs.ErrPermission):
					refused++
				case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrExist), errors.Is(err, files.ErrNotDir), errors.Is(err, files.ErrLoop):
				default:
					t.Fatalf("after %d operations: %v", i, err)
				}
			}
			if slices.Min(done) == 0 || refused == 0 {
				t.Errorf("met no swap: %d done, %d refused", done, refused)
			}
			if after := snapshot(t, filepath.Join(top, "out")); !slices.Equal(out, after) {
				t.Errorf("outside changed:\n%q\n%q", out, after)
			}
			if after := snapshot(t, filepath.Join(ws, "secret")); r.deny != nil && !slices.Equal(secret, after) {
				t.Errorf("denied files changed:\n%q\n%q", secret, after)
			}
		})
	}
}

// TestFIFOSwapRaceOnWriting covers A7: opening for writing never waits, even if a FIFO replaces the
// file during the call.
func TestFIFOSwapRaceOnWriting(t *testing.T) {
	for name, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, map[string]string{"d": "fine"})
			if err := syscall.Mkfifo(filepath.Join(dir, "l"), 0o644); err != nil {
				t.Fatal(err)
			}
			view := newFSWith(t, files.Options{MaxCreated: 1 << 30}, readWrite("w", dir, deny...)).View("/w")
			swap(t, dir, "d", "l")
			fine, refused, least := 0, 0, testlevel.Size(1000, 8_000)
			for i := 0; i < 200_000 && (i < least || fine == 0 || refused == 0); i++ {
				f, err := view.Open("d", files.OpenWrite|files.OpenNoRead|files.OpenTruncate)
				switch {
				case err == nil:
					fine++
					_ = f.Close()
				case errors.Is(err, fs.ErrPermission):
					refused++
				case !errors.Is(err, fs.ErrNotExist):
					t.Fatal(err)
				}
			}
			if fine == 0 || refused == 0 {
				t.Errorf("met no swap: %d opened, %d refused", fine, refused)
			}
		})
	}
}

// TestClosingWhileWriting checks that files created while the FS closes are removed as well. Run it
// with the race detector.
func TestClosingWhileWriting(t *testing.T) {
	in := t.TempDir()
	for range 50 {
		dir := t.TempDir()
		fsys, err := files.New(grants(readWrite("w", dir, "none"), scratch()), files.Options{ScratchIn: in})
		if err != nil {
			t.Fatal(err)
		}
		var users sync.WaitGroup
		for _, at := range []string{"/w", "/w", "/tmp"} {
			view := fsys.View(at)
			users.Go(func() {
				for {
					if err := writeFile(view, temp, "x"); errors.Is(err, fs.ErrClosed) {
						return
					}
					_ = view.Rename(temp, temp+"2")
					_ = view.Replace(temp+"2", []byte("z"), nil)
					_ = view.Mkdir(temp + "d")
					_ = view.Rmdir(temp + "d")
					f, err := view.Open(temp+"2", files.OpenWrite|files.OpenAppend)
					if err != nil {
						continue
					}
					_, _ = f.WriteAt([]byte("y"), 1)
					_ = f.SetAppending(false)
					_ = f.SetSize(1)
					_ = f.Close()
				}
			})
		}
		_, _ = fsys.View("/w").Stat(temp)
		closed(t, fsys)
		users.Wait()
		if got := list(t, newFS(t, read("w", dir)).View("/w"), "."); len(got) != 0 {
			t.Fatalf("left behind: %q", got)
		}
	}
	if got := list(t, newFS(t, read("w", in)).View("/w"), "."); len(got) != 0 {
		t.Errorf("scratch left behind: %q", got)
	}
}
