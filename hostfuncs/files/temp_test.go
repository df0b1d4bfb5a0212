package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

const temp = files.TempPrefix + "x"

// TestTemporaryFilesAreRemoved checks that the temporary files of a tool that was stopped are
// removed, and no other files.
func TestTemporaryFilesAreRemoved(t *testing.T) {
	for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		for ending, end := range map[string]func(*files.FS){
			"closed":  func(*files.FS) {},
			"revoked": (*files.FS).Revoke,
		} {
			t.Run(mount+"/"+ending, func(t *testing.T) {
				dir := t.TempDir()
				write(t, dir, map[string]string{"d/f": "old", "was-there/" + temp: "not ours", "e/f": ""})
				fsys, err := files.New(grants(readWrite("w", dir, deny...)), files.Options{})
				if err != nil {
					t.Fatal(err)
				}
				view := fsys.View("/w")
				ok := func(errs ...error) {
					t.Helper()
					if err := errors.Join(errs...); err != nil {
						t.Fatal(err)
					}
				}
				ok(
					writeFile(view, "d/"+temp, "half"),
					writeFile(view, "d/"+temp+"2", "half"),
					writeFile(view, "d/"+temp+"done", "whole"),
					view.Rename("d/"+temp+"done", "d/f"),
					view.Rename("d/"+temp+"2", "d/"+temp+"3"),
					writeFile(view, "plain", "stays"),
					writeFile(view, "was-there/"+temp, "written over"),
					view.Mkdir(temp+"dir"),
					writeFile(view, temp+"dir/"+temp, "half"),
					view.Mkdir(temp+"full"),
					writeFile(view, temp+"full/f", "stays"),
					writeFile(view, "e/"+temp, "half"),
					view.Rename("e", "moved"),
					writeFile(view, temp+"taken", "half"),
				)
				// Another process replaces one of the temporary files with its own file.
				ok(
					os.WriteFile(filepath.Join(dir, "theirs"), []byte("theirs"), 0o600),
					os.Rename(filepath.Join(dir, "theirs"), filepath.Join(dir, temp+"taken")),
				)
				f, err := view.Open(temp+"open", create)
				ok(err)
				end(fsys)
				closed(t, fsys)
				if _, err := f.Write([]byte("x")); !errors.Is(err, fs.ErrClosed) {
					t.Errorf("write after the end: %v", err)
				}

				var left []string
				ok(filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
					if !entry.IsDir() {
						rel, _ := filepath.Rel(dir, name)
						left = append(left, filepath.ToSlash(rel))
					}
					return err
				}))
				want := []string{temp + "full/f", temp + "taken", "d/f", "moved/f", "plain", "was-there/" + temp}
				if slices.Sort(left); !slices.Equal(left, want) {
					t.Errorf("left %q, want %q", left, want)
				}
				missing(t, filepath.Join(dir, temp+"dir"))
				holds(t, filepath.Join(dir, "d/f"), "whole")
			})
		}
	}
}

// TestReplacedTemporaryFilesAreRemoved has a tool write temporary files with Replace.
func TestReplacedTemporaryFilesAreRemoved(t *testing.T) {
	for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		dir := t.TempDir()
		write(t, dir, map[string]string{"was-there/" + temp: "not ours", "d/f": "old"})
		fsys, err := files.New(grants(readWrite("w", dir, deny...)), files.Options{})
		if err != nil {
			t.Fatal(err)
		}
		view := fsys.View("/w")
		if err := errors.Join(
			view.Replace(temp+"new", []byte("half"), &files.Seen{None: true}),
			view.Replace(temp+"twice", []byte("half"), nil),
			view.Replace(temp+"twice", []byte("half of another"), nil),
			writeFile(view, "d/"+temp, "half"),
			view.Replace("d/"+temp, []byte("half"), nil),
			view.Replace(temp+"done", []byte("whole"), nil),
			view.Rename(temp+"done", "d/f"),
			view.Replace("was-there/"+temp, []byte("written over"), nil),
		); err != nil {
			t.Fatal(err)
		}
		closed(t, fsys)
		if got := filesIn(t, dir); !slices.Equal(got, []string{"d/f", "was-there/" + temp}) {
			t.Errorf("%s: left %q", mount, got)
		}
		holds(t, filepath.Join(dir, "d/f"), "whole")
		holds(t, filepath.Join(dir, "was-there", temp), "written over")
	}
}

func TestScratchIsPrivateAndGoes(t *testing.T) {
	in, ws := t.TempDir(), t.TempDir()
	write(t, ws, map[string]string{"f": "fine"})
	o := files.Options{ScratchIn: in}
	open := func() *files.FS {
		t.Helper()
		fsys, err := files.New(grants(readWrite("w", ws), scratch()), o)
		if err != nil {
			t.Fatal(err)
		}
		return fsys
	}
	a, b := open(), open()
	dirs, err := os.ReadDir(in)
	if err != nil || len(dirs) != 2 {
		t.Fatalf("%d directories, %v", len(dirs), err)
	}
	for _, d := range dirs {
		if info, err := d.Info(); err != nil || info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
	tmp := a.View("/tmp")
	if err := errors.Join(tmp.Mkdir("d"), tmp.Mkdir("d/e"), writeFile(tmp, "d/e/f", "x"), writeFile(tmp, "g", "x")); err != nil {
		t.Fatal(err)
	}
	if got := list(t, b.View("/tmp"), "."); len(got) != 0 {
		t.Errorf("one call sees files of another: %q", got)
	}
	// Links that other processes create there are removed and not followed.
	symlink(t, ws, filepath.Join(in, dirs[0].Name(), "link"))
	symlink(t, ws, filepath.Join(in, dirs[1].Name(), "link"))
	held, err := a.View("/tmp").Open("g", files.OpenWrite)
	if err != nil {
		t.Fatal(err)
	}
	a.Revoke() // as if the call were killed
	for _, fsys := range []*files.FS{a, b} {
		closed(t, fsys)
	}
	if left, err := os.ReadDir(in); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if _, err := held.Write([]byte("x")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("write after the end: %v", err)
	}
	holds(t, filepath.Join(ws, "f"), "fine")
}

// TestRemovingScratchStaysInside redirects the path of the scratch directory. Only the directory
// that was created is emptied.
func TestRemovingScratchStaysInside(t *testing.T) {
	in, victim := t.TempDir(), t.TempDir()
	write(t, victim, map[string]string{"f": "fine", "d/g": "fine"})
	fsys, err := files.New(grants(scratch()), files.Options{ScratchIn: in})
	if err != nil {
		t.Fatal(err)
	}
	if err := writeFile(fsys.View("/tmp"), "f", "x"); err != nil {
		t.Fatal(err)
	}
	dirs, err := os.ReadDir(in)
	if err != nil || len(dirs) != 1 {
		t.Fatal(dirs, err)
	}
	dir := filepath.Join(in, dirs[0].Name())
	if err := os.Rename(dir, filepath.Join(in, "moved")); err != nil {
		t.Skipf("the host cannot rename an open directory: %v", err)
	}
	symlink(t, victim, dir)
	_ = fsys.Close() // cannot remove the directory that it created
	<-fsys.Done()
	holds(t, filepath.Join(victim, "f"), "fine")
	holds(t, filepath.Join(victim, "d/g"), "fine")
	if left, err := os.ReadDir(filepath.Join(in, "moved")); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestScratchMountsThatAreRefused(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"tmp/x": "", "ws/x": "", "file": ""})
	o := files.Options{ScratchIn: filepath.Join(top, "tmp")}
	bound := scratch()
	bound.Dir = filepath.Join(top, "ws")
	forReading := scratch()
	forReading.Mode = read("x", "").Mode
	for name, grants := range map[string][]capability.GrantedFS{
		"bound to a directory": {bound},
		"for reading":          {forReading},
		"twice":                {scratch(), scratch()},
		// With this mount, a tool could see the scratch space of other calls.
		"in the workspace":          {readWrite("w", top), scratch()},
		"in a workspace to read":    {scratch(), read("w", filepath.Join(top, "tmp"))},
		"with an invalid neighbour": {scratch(), read("w", filepath.Join(top, "none"))},
	} {
		fsys, err := files.New(grants, o)
		var mountErr *files.MountError
		if !errors.As(err, &mountErr) {
			_ = fsys.Close()
			t.Errorf("%s: %v", name, err)
		}
		noHostPath(t, err, top)
	}
	if left, err := os.ReadDir(filepath.Join(top, "tmp")); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestScratchIsMadeWhenItIsUsed checks when the only mount of a call, a scratch directory, exists,
// also if many goroutines use it first, or the call ends at the same time.
func TestScratchIsMadeWhenItIsUsed(t *testing.T) {
	in := t.TempDir()
	left := func() int {
		t.Helper()
		entries, err := os.ReadDir(in)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	for name, use := range map[string]func(view files.View) error{
		"look":   func(v files.View) error { _, err := v.Stat("tmp"); return err },
		"list":   func(v files.View) error { _, err := v.Open("tmp", files.OpenDirectory); return err },
		"write":  func(v files.View) error { return writeFile(v, "tmp/f", "x") },
		"rename": func(v files.View) error { return errors.Join(v.Mkdir("tmp/a"), v.Rename("tmp/a", "tmp/b")) },
	} {
		fsys, err := files.New(grants(scratch()), files.Options{ScratchIn: in})
		if err != nil {
			t.Fatal(err)
		}
		if got := list(t, fsys.View("/"), "."); !slices.Equal(got, []string{"tmp"}) || left() != 0 {
			t.Errorf("%s: before: %q, %d directories", name, got, left())
		}
		if err := use(fsys.View("/")); err != nil || left() != 1 {
			t.Errorf("%s: %v, %d directories", name, err, left())
		}
		closed(t, fsys)
		if left() != 0 {
			t.Errorf("%s: %d directories are left", name, left())
		}
		if err := use(fsys.View("/")); !errors.Is(err, fs.ErrClosed) || left() != 0 {
			t.Errorf("%s: afterwards: %v, %d directories", name, err, left())
		}
	}
	for i := range 100 {
		fsys, err := files.New(grants(scratch()), files.Options{ScratchIn: in})
		if err != nil {
			t.Fatal(err)
		}
		var users sync.WaitGroup
		for j := range 4 {
			users.Go(func() {
				err := writeFile(fsys.View("/tmp"), strconv.Itoa(j), "x")
				if ended := i%2 == 1; err != nil && (!ended || !errors.Is(err, fs.ErrClosed)) {
					t.Error(err)
				}
			})
		}
		if i%2 == 0 {
			users.Wait()
		}
		closed(t, fsys)
		users.Wait()
		if left() != 0 {
			t.Fatal("a directory is left")
		}
	}
}

// TestScratchThatCannotBeMade checks what a guest and its author learn.
func TestScratchThatCannotBeMade(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"file": ""})
	for name, o := range map[string]files.Options{
		"no temporary directory can be created": {ScratchIn: filepath.Join(top, "file")},
		"no tool may write to":                  {ScratchIn: top, Protected: []string{top}},
	} {
		fsys, err := files.New(grants(scratch()), o)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			err := writeFile(fsys.View("/tmp"), "f", "x")
			if !errors.Is(err, files.ErrIO) || !strings.Contains(fsys.LimitHit(), name) {
				t.Errorf("%v, %q, want %q", err, fsys.LimitHit(), name)
			}
			noHostPath(t, err, top)
		}
		closed(t, fsys)
		if got := filesIn(t, top); !slices.Equal(got, []string{"file"}) {
			t.Errorf("left behind: %q", got)
		}
	}
}

// TestNothingIsWrittenAfterwards checks that no method changes files after the call has ended.
func TestNothingIsWrittenAfterwards(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "fine", "d/g": ""})
	for name, end := range map[string]func(*files.FS){"Revoke": (*files.FS).Revoke, "Close": func(f *files.FS) { _ = f.Close() }} {
		fsys := newFS(t, readWrite("w", dir))
		view := fsys.View("/w")
		f, err := view.Open("f", files.OpenWrite)
		if err != nil {
			t.Fatal(err)
		}
		end(fsys)
		_, openErr := view.Open("new", create)
		_, writeErr := f.Write([]byte("x"))
		_, writeAtErr := f.WriteAt([]byte("x"), 0)
		for op, err := range map[string]error{
			"open": openErr, "write": writeErr, "write at": writeAtErr, "size": f.SetSize(0), "append": f.SetAppending(true), "sync": f.Sync(),
			"times of a file": f.Chtimes(time.Unix(1, 0), time.Unix(1, 0)), "times": view.Chtimes("f", true, time.Unix(1, 0), time.Unix(1, 0)),
			"mkdir": view.Mkdir("e"), "rmdir": view.Rmdir("d"), "unlink": view.Unlink("f"), "rename": view.Rename("f", "e"),
		} {
			if !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%s: %s: %v", name, op, err)
			}
		}
		holds(t, filepath.Join(dir, "f"), "fine")
	}
}

// TestAFullScratchDirectoryIsRemoved checks that all files are removed when Done is closed,
// regardless of their number.
func TestAFullScratchDirectoryIsRemoved(t *testing.T) {
	in := t.TempDir()
	fsys, err := files.New(grants(scratch()), files.Options{ScratchIn: in})
	if err != nil {
		t.Fatal(err)
	}
	view := fsys.View("/tmp")
	for i := range 2000 {
		if err := view.Mkdir(strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-fsys.Done():
		t.Error("Done is closed before the FS")
	default:
	}
	for range 2 {
		closed(t, fsys)
	}
	if left, err := os.ReadDir(in); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
