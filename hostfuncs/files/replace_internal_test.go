//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// TestReplaceLooksAgain has other processes change a file while its new content is written. Replace
// must notice before it replaces the file: no change is lost, and no temporary file is left.
func TestReplaceLooksAgain(t *testing.T) {
	write := func(file, content string) error { return os.WriteFile(file, []byte(content), 0o600) }
	// instead replaces a file with another file, as this package does.
	instead := func(file, content string) error {
		return errors.Join(write(file+".theirs", content), os.Rename(file+".theirs", file))
	}
	// sameTime changes a file but keeps its modification time.
	sameTime := func(file string, do func() error) error {
		info, err := os.Lstat(file)
		if err == nil {
			err = do()
		}
		if err == nil {
			err = os.Chtimes(file, time.Time{}, info.ModTime())
		}
		return err
	}
	for _, test := range []struct {
		name, path string
		others     func(file string) error
		want       error
	}{
		{"nothing", "f", func(string) error { return nil }, nil},
		{"nothing, nor was there anything", "new", func(string) error { return nil }, nil},
		{"they read it", "f", func(file string) error { _, err := os.ReadFile(file); return err }, nil},
		{"they write to it", "f", func(file string) error { return write(file, "theirs") }, ErrChanged},
		{"they write to it and turn the clock back", "f", func(file string) error {
			return sameTime(file, func() error { return write(file, "longer") })
		}, ErrChanged},
		{"they write as much to it", "f", func(file string) error {
			// If the clock is coarse, the time may be the same; see Seen.
			return errors.Join(write(file, "new"), os.Chtimes(file, time.Time{}, time.Unix(1, 0)))
		}, ErrChanged},
		{"they replace it with one that looks the same", "f", func(file string) error {
			return sameTime(file, func() error { return instead(file, "eve") })
		}, ErrChanged},
		{"they take rights away", "f", func(file string) error { return os.Chmod(file, 0o400) }, ErrChanged},
		{"they give it other rights", "f", func(file string) error { return os.Chmod(file, 0o600|fs.ModeSetuid) }, ErrChanged},
		{"they remove it", "f", os.Remove, ErrChanged},
		{"they rename it", "f", func(file string) error { return os.Rename(file, file+".theirs") }, ErrChanged},
		{"they create it", "new", func(file string) error { return write(file, "") }, ErrChanged},
		{"they create a directory", "new", func(file string) error { return os.Mkdir(file, 0o700) }, ErrChanged},
		{"they create a link", "new", func(file string) error { return os.Symlink("nowhere", file) }, ErrChanged},
		{"it is a link now", "f", func(file string) error { return errors.Join(os.Remove(file), os.Symlink("d/g", file)) }, ErrChanged},
		{"it is a directory now", "f", func(file string) error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o700)) }, ErrChanged},
		{"it is a FIFO now", "f", func(file string) error { return errors.Join(os.Remove(file), syscall.Mkfifo(file, 0o600)) }, ErrChanged},
	} {
		for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
			for _, whatever := range []bool{false, true} {
				name := test.name + "/" + mount
				if whatever {
					name += "/whatever is there"
				}
				t.Run(name, func(t *testing.T) {
					dir := t.TempDir()
					if err := errors.Join(write(filepath.Join(dir, "f"), "old"), os.Mkdir(filepath.Join(dir, "d"), 0o700), write(filepath.Join(dir, "d/g"), "old")); err != nil {
						t.Fatal(err)
					}
					m := openForWriting(t, dir, deny...)
					file := filepath.Join(dir, test.path)
					var seen *Seen
					if info, err := os.Lstat(file); !whatever && err == nil {
						seen = &Seen{Size: info.Size(), ModTime: info.ModTime()}
					} else if !whatever {
						seen = &Seen{None: true}
					}
					var theirs string
					_, now, err := m.putWhole(test.path, seen, func(temp *os.File) error {
						if _, err := temp.WriteString("mine"); err != nil {
							return err
						}
						err := test.others(file)
						theirs = described(file)
						return err
					})
					if err != test.want || now == nil {
						t.Fatalf("got %v, %v, want %v", now, err, test.want)
					}
					if err == nil {
						theirs = "-rw------- mine"
						if test.path == "new" {
							theirs = described(file) // the umask of the process decides the mode
						}
					}
					if got := described(file); got != theirs {
						t.Errorf("there is %q, want %q", got, theirs)
					}
					noTemps(t, dir)
				})
			}
		}
	}
}

// TestTheFileBesideIsPrivate covers the temporary file that Replace writes. Deny patterns may hide
// the replaced file from another call, so no guest may see or open the temporary file with its
// content.
func TestTheFileBesideIsPrivate(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"keys.secret", "f"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var others []*FS
	for _, mode := range []capability.Mode{capability.ModeRead, capability.ModeWrite} {
		for _, deny := range [][]string{{"*.secret"}, nil} {
			files, err := New([]capability.GrantedFS{{FS: capability.FS{Mount: "w", Mode: mode, Deny: deny}, Dir: dir}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = files.Close() })
			others = append(others, files)
		}
	}
	_, _, err := openForWriting(t, dir).putWhole("keys.secret", nil, func(file *os.File) error {
		if _, err := file.WriteString("new secret"); err != nil {
			return err
		}
		all, err := os.ReadDir(dir)
		if err != nil || len(all) != 3 || !strings.HasPrefix(all[0].Name(), TempPrefix) {
			t.Fatalf("there is %v, %v", all, err)
		}
		temp := all[0].Name()
		for _, files := range others {
			view := files.View("/w")
			listed := string(files.Batch(t.Context(), []string{"/w"}).List(make([]byte, 1000))[0].Content)
			opened, err := view.Open(".", OpenDirectory)
			if err != nil {
				t.Fatal(err)
			}
			entries, err := opened.ReadDir(0)
			if err != nil || len(entries) == 0 {
				t.Errorf("list: %v, %v", entries, err)
			}
			for _, e := range entries {
				listed += " " + e.Name()
			}
			if !strings.Contains(listed, "f") || strings.Contains(listed, TempPrefix) {
				t.Errorf("it is listed: %q", listed)
			}
			open := func(flags OpenFlags) error { _, err := view.Open(temp, flags); return err }
			_, statErr := view.Lstat(temp)
			read := files.Batch(t.Context(), []string{"/w/" + temp}).Read(100, make([]byte, 200))[0]
			for op, err := range map[string]error{
				"read": open(0), "write": open(OpenWrite), "stat": statErr, "batch": read.Err, "unlink": view.Unlink(temp),
				"rename": view.Rename(temp, "mine"), "rename to": view.Rename("f", temp), "replace": view.Replace(temp, nil, nil),
				"below": view.Mkdir(temp + "/d"), "mkdir": view.Mkdir(hostTempPrefix + "d"), "deep": view.Mkdir("none/" + hostTempPrefix + "d/d"),
			} {
				if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, ErrReadOnly) {
					t.Errorf("%s: %v", op, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := described(filepath.Join(dir, "keys.secret")); got != "-rw------- new secret" {
		t.Errorf("there is %q", got)
	}
	noTemps(t, dir)
}

// TestReplaceInADirectoryThatMoves moves a directory while it is open. The open directory stays the
// same, so the file moves with it.
func TestReplaceInADirectoryThatMoves(t *testing.T) {
	for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		top := t.TempDir()
		for _, name := range []string{"w/d", "out"} {
			if err := os.MkdirAll(filepath.Join(top, name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(top, name, "f"), []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d := filepath.Join(top, "w/d")
		_, _, err := openForWriting(t, filepath.Join(top, "w"), deny...).putWhole("d/f", nil, func(temp *os.File) error {
			_, err := temp.WriteString("mine")
			return errors.Join(err, os.Rename(d, d+"2"), os.Symlink("../out", d))
		})
		if err != nil {
			t.Errorf("%s: %v", mount, err)
		}
		for file, want := range map[string]string{"w/d2/f": "mine", "out/f": "old"} {
			if got, err := os.ReadFile(filepath.Join(top, file)); err != nil || string(got) != want {
				t.Errorf("%s: %s holds %q, %v", mount, file, got, err)
			}
		}
		noTemps(t, top)
	}
}

// TestReplaceThatFailsInTheMiddle checks that a failure at any stage leaves no temporary file.
func TestReplaceThatFailsInTheMiddle(t *testing.T) {
	for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		dir := t.TempDir()
		m := openForWriting(t, dir, deny...)
		for name, fail := range map[string]func(temp *os.File) error{
			"the content": func(*os.File) error { return fs.ErrClosed },
			"closing":     func(temp *os.File) error { return temp.Close() },
			"the others, who remove it": func(temp *os.File) error {
				left, err := filepath.Glob(filepath.Join(dir, TempPrefix+"*"))
				if len(left) != 1 {
					t.Errorf("%s: %q is being written", mount, left)
				}
				return errors.Join(err, os.Remove(left[0]))
			},
		} {
			if _, now, err := m.putWhole("f", nil, fail); err == nil || now == nil {
				t.Errorf("%s: %s: got %v, %v", mount, name, now, err)
			}
			if _, err := os.Lstat(filepath.Join(dir, "f")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %s: f is there: %v", mount, name, err)
			}
			noTemps(t, dir)
		}
	}
}

func openForWriting(t *testing.T, dir string, deny ...string) *mount {
	t.Helper()
	m, err := openMount(capability.GrantedFS{FS: capability.FS{Mount: "w", Mode: capability.ModeWrite, Deny: deny}, Dir: dir}, Options{}, new(hostPaths), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// described returns the mode of a path, and the content if it is a file.
func described(file string) string {
	info, err := os.Lstat(file)
	if err != nil {
		return "nothing"
	}
	text := info.Mode().String()
	if info.Mode().IsRegular() {
		content, _ := os.ReadFile(file)
		text += " " + string(content)
	}
	return text
}

// noTemps fails the test if a temporary file exists below a host directory.
func noTemps(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(entry.Name(), TempPrefix) {
			t.Errorf("left behind: %s", entry.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestReplaceEndsWithItsCall checks that no content is written and no file is replaced after the
// call has ended.
func TestReplaceEndsWithItsCall(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := new(FS)
	_, _, err := openForWriting(t, dir).putWhole("f", nil, func(temp *os.File) error {
		if err := files.writeAll(temp, []byte("half")); err != nil {
			return err
		}
		files.Revoke()
		err := files.writeAll(temp, []byte("the other half"))
		if got := described(temp.Name()); got != "-rw------- half" {
			t.Errorf("there is %q", got)
		}
		return err
	})
	if !errors.Is(err, fs.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if got := described(file); got != "-rw------- old" {
		t.Errorf("there is %q", got)
	}
	noTemps(t, dir)
}

// TestNothingClosesAtOnceInTheMiddle covers a guest that was abandoned, perhaps in the middle of an
// operation: Close then cannot finish at once.
func TestNothingClosesAtOnceInTheMiddle(t *testing.T) {
	files, err := New([]capability.GrantedFS{{FS: capability.FS{Mount: "w", Mode: capability.ModeWrite}, Dir: t.TempDir()}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := files.resolveToChange("/w", "f")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := func() (fs.FileInfo, fs.FileInfo, error) {
		if err := files.begin(); err != nil {
			return nil, nil, err
		}
		defer files.end()
		return p.mount.putWhole(p.rel, nil, func(*os.File) error {
			if files.ClosesAtOnce() {
				t.Error("ClosesAtOnce is true while a file is replaced")
			}
			if err := files.Close(); err != nil { // does not wait
				t.Error(err)
			}
			select {
			case <-files.Done():
				t.Error("Done is closed while a file is replaced")
			default:
			}
			return nil
		})
	}(); err != nil {
		t.Error(err)
	}
	<-files.Done()

	files, err = New(nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := files.reserve(); err != nil {
		t.Fatal(err)
	}
	if files.ClosesAtOnce() {
		t.Error("ClosesAtOnce is true while a file is opened")
	}
	files.cancel()
	if !files.ClosesAtOnce() {
		t.Error("ClosesAtOnce is false although no file was opened")
	}
	if err := files.Close(); err != nil {
		t.Error(err)
	}
}
