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
	"syscall"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// TestAttacksOnBatches checks that a batch reveals only what requests for single files reveal, and
// never blocks.
func TestAttacksOnBatches(t *testing.T) {
	ws := hostile(t)
	write(t, ws, map[string]string{"odd\nname": "fine", "bad\xffname": "none", "closed": "none", "locked/f": "none"})
	for _, name := range []string{"closed", "locked"} {
		if err := os.Chmod(filepath.Join(ws, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(ws, "locked"), 0o700) })
	names := variations(t, ws, "/workspace")
	for _, a := range attacks {
		names = append(names, "/workspace/"+a.path)
	}
	for link, deny := range map[string][]string{"/workspace/in": nil, "/workspace/d": {"no-such-name"}, "/workspace/f": {"d/deep", "in", "up"}} {
		t.Run(fmt.Sprint("deny ", deny), func(t *testing.T) {
			fsys := newFS(t, read("workspace", ws, deny...))
			requireSame(t, fsys, names, 1<<20)
			// A link in the batch does not change the answers for files whose paths contain no
			// link.
			requireSame(t, fsys, []string{link, "/workspace/up", link, "/workspace/fifo", link}, 10)
			room := make([]byte, 1<<16)
			for i, a := range slices.Concat(batch(fsys, names...).Stat(), batch(fsys, names...).List(room), batch(fsys, names...).Read(1<<20, room)) {
				noHostPath(t, a.Err, filepath.Dir(ws))
				if strings.Contains(string(a.Content), canary) || a.Err == nil && a.Type == 0 && a.Size == int64(len(canary)) {
					t.Errorf("%q shows a file outside the mount", names[i%len(names)])
				}
			}
		})
	}
}

func TestABatchKeepsTheRoomFromWhatIsDenied(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"secret": canary, "sub/secret": canary, "d/f": "fine", "hidden/f": canary})
	symlink(t, "secret", filepath.Join(dir, "l"))
	symlink(t, "../hidden", filepath.Join(dir, "d/l"))
	fsys := newFS(t, read("w", dir, "**/secret", "hidden"))
	room := make([]byte, 1000)
	for i, a := range batch(fsys, "/w/secret", "/w/sub/secret", "/w/l", "/w/d/l/f", "/w/hidden/f", "/w/d/f/../../secret", "/w/SECRET").Read(100, room) {
		if !errors.Is(a.Err, fs.ErrPermission) {
			t.Errorf("file %d: got %v", i, a.Err)
		}
	}
	for _, a := range batch(fsys, "/w", "/w/sub", "/w/d").List(room) {
		if text := string(a.Content); strings.Contains(text, "secret") || strings.Contains(text, "hidden") {
			t.Errorf("a list names a denied file: %q", text)
		}
	}
	if strings.Contains(string(room), "CANARY") {
		t.Error("the buffer contains denied content")
	}
}

// TestLinkSwapRaceOfBatches covers A13 and A7: a name is swapped between an allowed and a forbidden
// file during the requests. No content of the forbidden file may get into an answer or the buffer,
// and no request may block.
func TestLinkSwapRaceOfBatches(t *testing.T) {
	link := func(target string) func(t *testing.T, at string) {
		return func(t *testing.T, at string) { symlink(t, target, at) }
	}
	fifo := func(t *testing.T, at string) {
		if err := syscall.Mkfifo(at, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []struct {
		name string
		deny []string
		file bool // swap a file instead of a directory
		make func(t *testing.T, at string)
	}{
		{"directory and link to outside", nil, false, link("../out")},
		{"file and link to outside", nil, true, link("../out/f")},
		{"file and FIFO", nil, true, fifo},
		{"directory and FIFO", nil, false, fifo},
		{"deny, directory and link to outside", []string{"secret/**"}, false, link("../out")},
		{"deny, directory and link to denied", []string{"secret/**"}, false, link("secret")},
		{"deny, file and link to denied", []string{"secret/**"}, true, link("secret/f")},
		{"deny, file and FIFO", []string{"secret/**"}, true, fifo},
	} {
		t.Run(r.name, func(t *testing.T) {
			top := t.TempDir()
			ws := filepath.Join(top, "ws")
			write(t, top, map[string]string{"out/f": canary, "out/only-outside": "", "ws/secret/f": canary, "ws/secret/only-outside": ""})
			name, directory := "/w/d", "/w"
			if r.file {
				write(t, ws, map[string]string{"d": "fine"})
			} else {
				write(t, ws, map[string]string{"d/f": "fine"})
				name, directory = "/w/d/f", "/w/d"
			}
			r.make(t, filepath.Join(ws, "l"))
			fsys := newFS(t, read("w", ws, r.deny...))
			swap(t, ws, "d", "l")

			names := slices.Repeat([]string{name}, 40)
			room := make([]byte, 4096)
			least, most := testlevel.Size(50, 300), 20_000
			fine, refused := 0, 0
			for i := 0; i < most && (i < least || fine == 0 || refused == 0); i++ {
				for _, a := range batch(fsys, names...).Read(100, room) {
					switch err := a.Err; {
					case err == nil && string(a.Content) == "fine":
						fine++
					case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist), errors.Is(err, files.ErrNotDir), errors.Is(err, files.ErrLoop):
						refused++
					default:
						t.Fatalf("after %d batches: read %q, %v", i, a.Content, err)
					}
				}
				if strings.Contains(string(room), "CANARY") {
					t.Fatalf("after %d batches the buffer contains the canary", i)
				}
				for _, a := range batch(fsys, names...).Stat() {
					if a.Err == nil && a.Type == 0 && a.Size == int64(len(canary)) {
						t.Fatalf("after %d batches stat shows the canary", i)
					}
				}
				for _, a := range batch(fsys, directory, directory).List(room) {
					if strings.Contains(string(a.Content), "only-outside") {
						t.Fatalf("after %d batches a list shows a forbidden file", i)
					}
				}
			}
			if fine == 0 || refused == 0 {
				t.Errorf("met no swap: %d read, %d refused", fine, refused)
			}
		})
	}
}

// This test closes an FS while batches run. Run it with the race detector.
func TestClosingWhileABatchRuns(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for i := range 200 {
		name := fmt.Sprintf("d%d/f%d", i%9, i)
		write(t, dir, map[string]string{name: "fine"})
		names = append(names, "/w/"+name, "/w/d1")
	}
	for range 20 {
		fsys, err := files.New(grants(read("w", dir)), files.Options{})
		if err != nil {
			t.Fatal(err)
		}
		begun, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			room := make([]byte, 1<<16)
			for first := true; ; first = false {
				answers := slices.Concat(batch(fsys, names...).Stat(), batch(fsys, names...).List(room), batch(fsys, names...).Read(10, room))
				if first {
					close(begun)
				}
				for _, a := range answers {
					if errors.Is(a.Err, fs.ErrClosed) {
						return
					}
				}
			}
		}()
		<-begun
		closed(t, fsys)
		<-ended
	}
}
