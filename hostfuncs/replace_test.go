//go:build unix

package hostfuncs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// seen is what a guest knows of a file after a look at it.
func seen(t testing.TB, v hostfuncs.View, name string) *hostfuncs.Seen {
	t.Helper()
	info, err := v.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	return &hostfuncs.Seen{Size: info.Size(), ModTime: info.ModTime()}
}

// onEachMount runs a test on a mount with deny patterns and on one without, which find files
// in different ways.
func onEachMount(t *testing.T, test func(t *testing.T, dir string, files *hostfuncs.FS, v hostfuncs.View)) {
	for name, deny := range map[string][]string{"plain": nil, "deny": {"secret/**"}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, map[string]string{"f": "old", "d/f": "old", "secret/f": canary})
			files := newFS(t, readWrite("w", dir, deny...))
			test(t, dir, files, files.View("/w"))
		})
	}
}

func TestReplace(t *testing.T) {
	onEachMount(t, func(t *testing.T, dir string, files *hostfuncs.FS, v hostfuncs.View) {
		large := strings.Repeat("0123456789abcdef", 9<<16) // more than is written at once
		for _, content := range []string{"new", "", large} {
			for _, name := range []string{"f", "d/f"} {
				if err := v.Replace(name, []byte(content), seen(t, v, name)); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				holds(t, filepath.Join(dir, name), content)
			}
		}
		if err := v.Replace("new", []byte("x"), &hostfuncs.Seen{None: true}); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"new", "d/newer"} {
			if err := v.Replace(name, []byte("whatever is there"), nil); err != nil {
				t.Fatal(err)
			}
			holds(t, filepath.Join(dir, name), "whatever is there")
		}
		if got := list(t, v, "."); !slices.Equal(got, []string{"d", "f", "new", "secret"}) && !slices.Equal(got, []string{"d", "f", "new"}) {
			t.Errorf("there is %q", got)
		}
	})
}

// After a refusal all is as it was, and nothing lies beside it.
func TestReplaceRefuses(t *testing.T) {
	onEachMount(t, func(t *testing.T, dir string, files *hostfuncs.FS, v hostfuncs.View) {
		symlink(t, "f", filepath.Join(dir, "link"))
		symlink(t, "nowhere", filepath.Join(dir, "dangling"))
		before := snapshot(t, dir)
		right, other := seen(t, v, "f"), *seen(t, v, "f")
		other.Size++
		later := *right
		later.ModTime = later.ModTime.Add(time.Nanosecond)
		for _, tt := range []struct {
			what, name string
			seen       *hostfuncs.Seen
			want       error
		}{
			{"another size", "f", &other, hostfuncs.ErrChanged},
			{"another time", "f", &later, hostfuncs.ErrChanged},
			{"a file where none was", "f", &hostfuncs.Seen{None: true}, hostfuncs.ErrChanged},
			{"none where a file was", "gone", right, hostfuncs.ErrChanged},
			{"a link", "link", nil, hostfuncs.ErrLoop},
			{"a link that was a file", "link", right, hostfuncs.ErrLoop},
			{"a link to nothing", "dangling", &hostfuncs.Seen{None: true}, hostfuncs.ErrLoop},
			{"a directory", "d", nil, hostfuncs.ErrIsDir},
			{"a name of directories", "f/", nil, hostfuncs.ErrIsDir},
			{"a new name of directories", "g/", nil, hostfuncs.ErrIsDir},
			{"the mount", ".", nil, hostfuncs.ErrIsDir},
			{"below nothing", "none/f", nil, fs.ErrNotExist},
			{"below a file", "f/g", nil, hostfuncs.ErrNotDir},
			{"outside", "../f", nil, hostfuncs.ErrOutside},
			{"beside the mounts", "/../../etc/passwd", nil, hostfuncs.ErrOutside},
			{"a long name", strings.Repeat("n", 256), nil, hostfuncs.ErrNameTooLong},
			{"no name", "", nil, fs.ErrInvalid},
		} {
			err := v.Replace(tt.name, []byte("mine"), tt.seen)
			if !errors.Is(err, tt.want) {
				t.Errorf("%s: got %v, want %v", tt.what, err, tt.want)
			}
			noHostPath(t, err, dir)
		}
		if err := files.View("/").Replace("elsewhere", nil, nil); !errors.Is(err, hostfuncs.ErrReadOnly) {
			t.Errorf("beside the mount: %v", err)
		}
		if after := snapshot(t, dir); !slices.Equal(before, after) {
			t.Errorf("it changed:\n%q\n%q", before, after)
		}
	})
}

func TestReplaceKeepsToTheGrant(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "old", "secret/f": canary})
	before := snapshot(t, dir)
	if err := newFS(t, read("w", dir)).View("/w").Replace("f", nil, nil); !errors.Is(err, hostfuncs.ErrReadOnly) {
		t.Errorf("for reading: %v", err)
	}
	v := newFS(t, readWrite("w", dir, "secret/**")).View("/w")
	for _, name := range []string{"secret/f", "secret/new", "secret", "SECRET/f"} {
		if err := v.Replace(name, []byte("mine"), nil); err == nil {
			t.Errorf("%s is replaced", name)
		}
	}
	files := newFS(t, readWrite("w", dir))
	files.Revoke()
	if err := files.View("/w").Replace("f", nil, nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after the call: %v", err)
	}
	if after := snapshot(t, dir); !slices.Equal(before, after) {
		t.Errorf("it changed:\n%q\n%q", before, after)
	}
}

// A file takes over the permissions of the one that goes, also those that the umask of this
// process takes from new ones.
func TestReplaceKeepsPermissions(t *testing.T) {
	onEachMount(t, func(t *testing.T, dir string, files *hostfuncs.FS, v hostfuncs.View) {
		for _, perm := range []fs.FileMode{0o600, 0o755, 0o666, 0o777, 0o640} {
			if err := os.Chmod(filepath.Join(dir, "f"), perm); err != nil {
				t.Fatal(err)
			}
			if err := v.Replace("f", []byte("new"), nil); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(filepath.Join(dir, "f")); err != nil || info.Mode() != perm {
				t.Errorf("%v became %v, %v", perm, info.Mode(), err)
			}
		}
		for _, special := range []fs.FileMode{fs.ModeSetuid | 0o755, fs.ModeSetgid | 0o755} {
			if err := os.Chmod(filepath.Join(dir, "f"), special); err != nil {
				t.Fatal(err)
			}
			if err := v.Replace("f", []byte("mine"), nil); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%v is replaced: %v", special, err)
			}
			holds(t, filepath.Join(dir, "f"), "new")
		}
	})
}

// Replacing a file needs no right to write to it, and is refused without that all the same.
func TestReplaceNeedsTheRightToWrite(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("permissions do not bind root")
	}
	onEachMount(t, func(t *testing.T, dir string, files *hostfuncs.FS, v hostfuncs.View) {
		for _, perm := range []fs.FileMode{0o444, 0} {
			if err := os.Chmod(filepath.Join(dir, "f"), perm); err != nil {
				t.Fatal(err)
			}
			if err := v.Replace("f", []byte("mine"), nil); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%v is replaced: %v", perm, err)
			}
		}
		if err := os.Chmod(filepath.Join(dir, "f"), 0o600); err != nil {
			t.Fatal(err)
		}
		holds(t, filepath.Join(dir, "f"), "old")
	})
}

// What is written counts, and what is refused before does not.
func TestReplaceIsBounded(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "old"})
	for _, tt := range []struct {
		what    string
		options hostfuncs.Options
		writes  []string
		hit     string
	}{
		{"bytes", hostfuncs.Options{MaxWritten: 10}, []string{"12345", "12345"}, "bytes written (10)"},
		{"a file", hostfuncs.Options{MaxFileSize: 4}, []string{"1234"}, "bytes of a file (4)"},
		{"files", hostfuncs.Options{MaxCreated: 3}, []string{"a", "b", "c"}, "files created (3)"},
	} {
		files := newFSWith(t, tt.options, readWrite("w", dir))
		v := files.View("/w")
		for range 20 {
			if err := v.Replace("f", []byte("x"), &hostfuncs.Seen{None: true}); !errors.Is(err, hostfuncs.ErrChanged) {
				t.Fatal(err)
			}
		}
		for _, content := range tt.writes {
			if err := v.Replace("f", []byte(content), nil); err != nil {
				t.Errorf("%s: %v", tt.what, err)
			}
		}
		if got := files.LimitHit(); got != "" {
			t.Errorf("%s: LimitHit %q before it is reached", tt.what, got)
		}
		if err := v.Replace("f", []byte("more!"), nil); !errors.Is(err, hostfuncs.ErrLimit) {
			t.Errorf("%s: one more: %v", tt.what, err)
		}
		if got := files.LimitHit(); got != tt.hit {
			t.Errorf("%s: LimitHit %q", tt.what, got)
		}
		holds(t, filepath.Join(dir, "f"), tt.writes[len(tt.writes)-1])
	}
}

// A receipt names the file, and none that was there for a moment.
func TestReplaceIsNoted(t *testing.T) {
	dir := t.TempDir()
	grant := capability.Grant{FS: grants(readWrite("w", dir))}
	b, err := hostfuncs.Bind(grant, hostfuncs.Options{}, hostfuncs.Services{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.Files.View("/w").Replace("f", []byte("x"), nil); err != nil {
		t.Fatal(err)
	}
	if err := b.Files.View("/w").Replace("d/g", []byte("x"), nil); err == nil {
		t.Error("replaced below nothing")
	}
	if got := b.Usage(); !slices.Equal(got.FilesWritten, []string{"/w/f"}) || len(got.FilesRead) > 0 {
		t.Errorf("got %+v", got)
	}
	if !b.ClosesAtOnce() {
		t.Error("something is left to be removed")
	}
}

// Whoever replaces a file that has not changed since it was seen loses nothing that another
// wrote before that was looked at: of many who add a line each, one after the other wins.
func TestReplaceSeesTheOthers(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": ""})
	const writers, lines = 4, 25
	var all sync.WaitGroup
	var turn sync.Mutex // two of them may look at the same moment, but not replace
	for range writers {
		v := newFSWith(t, hostfuncs.Options{MaxCreated: 1 << 30}, readWrite("w", dir)).View("/w")
		all.Go(func() {
			for done := 0; done < lines; {
				s := seen(t, v, "f")
				content, err := readFile(v, "f")
				if err != nil {
					t.Error(err)
					return
				}
				turn.Lock()
				err = v.Replace("f", []byte(content+"x"), s)
				turn.Unlock()
				switch {
				case err == nil:
					done++
				case !errors.Is(err, hostfuncs.ErrChanged):
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	holds(t, filepath.Join(dir, "f"), strings.Repeat("x", writers*lines))
}

// A file that is swapped with a link, a directory or a pipe while it is replaced is replaced as
// a name: what a link leads to stays, nobody waits for the pipe, and nothing lies about.
func TestReplaceSwapRace(t *testing.T) {
	for kind, put := range map[string]func(t *testing.T, dir, name string){
		"link to outside": func(t *testing.T, dir, name string) { symlink(t, "../out/f", filepath.Join(dir, name)) },
		"link to denied":  func(t *testing.T, dir, name string) { symlink(t, "secret/f", filepath.Join(dir, name)) },
		"directory": func(t *testing.T, dir, name string) {
			if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
				t.Fatal(err)
			}
		},
		"pipe": func(t *testing.T, dir, name string) {
			if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(kind, func(t *testing.T) {
			top := t.TempDir()
			ws := filepath.Join(top, "ws")
			write(t, top, map[string]string{"out/f": canary, "ws/secret/f": canary, "ws/f": "fine"})
			v := newFSWith(t, hostfuncs.Options{MaxCreated: 1 << 30, MaxWritten: 1 << 40}, readWrite("w", ws, "secret/**")).View("/w")
			for i := range 400 {
				put(t, ws, "other")
				var swapped sync.WaitGroup
				swapped.Go(func() {
					for range i % 7 {
						runtime.Gosched()
					}
					_ = os.Rename(filepath.Join(ws, "f"), filepath.Join(ws, "spare"))
					_ = os.Rename(filepath.Join(ws, "other"), filepath.Join(ws, "f")) // but for a directory over a new file
				})
				_ = v.Replace("f", []byte("mine"), nil) // as the race goes
				swapped.Wait()
				for _, name := range []string{"f", "other", "spare"} {
					_ = os.RemoveAll(filepath.Join(ws, name))
				}
				write(t, ws, map[string]string{"f": "fine"})
			}
			if got := list(t, v, "."); !slices.Equal(got, []string{"f"}) {
				t.Errorf("there is %q", got)
			}
			holds(t, filepath.Join(top, "out/f"), canary)
			holds(t, filepath.Join(ws, "secret/f"), canary)
		})
	}
}

// A folder that is swapped with a link while files in it are replaced leads nowhere else.
func TestReplaceBelowSwappedFolders(t *testing.T) {
	for name, r := range map[string]struct {
		deny   []string
		target string
	}{
		"link to outside":       {nil, "../out"},
		"deny, link to outside": {[]string{"secret/**"}, "../out"},
		"deny, link to denied":  {[]string{"secret/**"}, "secret"},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			ws := filepath.Join(top, "ws")
			write(t, top, map[string]string{"out/f": canary, "ws/secret/f": canary, "ws/d/f": "fine"})
			symlink(t, r.target, filepath.Join(ws, "l"))
			out, secret := snapshot(t, filepath.Join(top, "out")), snapshot(t, filepath.Join(ws, "secret"))
			v := newFSWith(t, hostfuncs.Options{MaxCreated: 1 << 30, MaxWritten: 1 << 40}, readWrite("w", ws, r.deny...)).View("/w")
			swap(t, ws, "d", "l")
			const least, most = 1000, 50_000
			done, refused := 0, 0
			for i := 0; i < most && (i < least || done == 0 || refused == 0); i++ {
				err := v.Replace([]string{"d/f", "d/new"}[i%2], []byte("mine"), nil)
				switch {
				case err == nil:
					done++
				case errors.Is(err, fs.ErrPermission):
					refused++
				case errors.Is(err, fs.ErrNotExist), errors.Is(err, hostfuncs.ErrLoop), errors.Is(err, hostfuncs.ErrNotDir):
				default:
					t.Fatal(err)
				}
			}
			if done == 0 || refused == 0 {
				t.Errorf("met no swap: %d done, %d refused", done, refused)
			}
			if after := snapshot(t, filepath.Join(top, "out")); !slices.Equal(out, after) {
				t.Errorf("outside changed:\n%q\n%q", out, after)
			}
			if after := snapshot(t, filepath.Join(ws, "secret")); !slices.Equal(secret, after) {
				t.Errorf("what is denied changed:\n%q\n%q", secret, after)
			}
		})
	}
}
