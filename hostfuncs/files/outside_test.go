//go:build unix

package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// outsideDir returns a directory without links in its path, with files of the given names.
func outsideDir(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		write(t, dir, map[string]string{name: "content of " + name})
	}
	return dir
}

func TestOutsideRefuses(t *testing.T) {
	dir := outsideDir(t, "plain", "state/secret", "conf/wasmtool.toml", "repo/.git/config", "linked", files.TempPrefix+"x")
	symlink(t, filepath.Join(dir, "plain"), filepath.Join(dir, "link"))
	symlink(t, filepath.Join(dir, "state"), filepath.Join(dir, "todir"))
	if err := os.Link(filepath.Join(dir, "conf/wasmtool.toml"), filepath.Join(dir, "hard")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "linked"), 0o755|fs.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	must(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	protected := []string{filepath.Join(dir, "state"), filepath.Join(dir, "conf/wasmtool.toml"), filepath.Join(dir, "new/audit.log")}
	read, write := capability.ModeRead, capability.ModeWrite
	for _, tt := range []struct {
		name string
		mode capability.Mode
		want string // part of the error; "" for none
	}{
		{dir + "/plain", read, ""},
		{dir + "/plain", write, ""},
		{dir + "/new.txt", write, ""},
		{dir + "/repo", read, ""},
		{dir + "/conf", read, "lies in a directory"},
		{dir + "/new.txt", read, "does not exist"},
		{dir + "/missing/new.txt", write, "the directory does not exist"},
		{dir + "/repo", write, "only be read"},
		{dir + "/state", read, "lies in a directory"},
		{dir + "/todir", read, "lies in a directory"},
		{dir + "/state/secret", read, "no tool may access"},
		{dir + "/todir/secret", read, "no tool may access"},
		{dir + "/state/new", write, "no tool may access"},
		{dir + "/new", write, "no tool may access"}, // a protected path may begin there
		{dir + "/conf/wasmtool.toml", read, "hard links"},
		{dir + "/hard", read, "hard links"},
		{dir + "/hard", write, "hard links"},
		{dir, read, "contains or lies in a directory"},
		{dir + "/link", read, "not a regular file"},
		{dir + "/link", write, "not a regular file"},
		{dir + "/fifo", read, "not a regular file"},
		{dir + "/fifo", write, "not a regular file"},
		{dir + "/linked", read, "setuid"},
		{dir + "/linked", write, "setuid"},
		{dir + "/repo/.git/config", read, "denied by a pattern"},
		{dir + "/repo/.GIT/config", read, ""}, // set below for hosts that respect case
		{dir + "/" + files.TempPrefix + "x", read, "reserved"},
		{"/proc/self/environ", read, "system directory"},
		{"/proc/self/root", read, "root of a file system"},
		{"/proc/self/root/etc/passwd", read, "system directory"},
		{"/dev/null", read, "system directory"},
		{"/dev", read, "system directory"},
		{"/sys", read, "system directory"},
		{"/etc/passwd", read, "system directory"},
		{"/", read, "not absolute"},
		{"/new.txt", write, "root of a file system"},
		{"", read, "not absolute"},
		{"plain", read, "not absolute"},
		{dir + "/repo/../plain", read, "not absolute"},
		{dir + "//plain", read, "not absolute"},
		{dir + "/plain/", read, "not absolute"},
		{dir + "/plain\x00", read, "not absolute"},
		{dir + "/pl\xffain", write, "not absolute"},
		{dir + "/" + strings.Repeat("a/", 200) + "a", read, "not absolute"},
	} {
		if strings.HasPrefix(tt.name, "/proc") && runtime.GOOS != "linux" {
			continue
		}
		if strings.Contains(tt.name, ".GIT") {
			tt.want = "denied by a pattern"
			if _, err := os.Stat(tt.name); err != nil {
				tt.want = "the directory does not exist"
			}
		}
		g, err := files.Outside(tt.name, tt.mode, []string{".git/**"}, protected)
		switch {
		case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s, %v: got %v, want %q", tt.name, tt.mode, err, tt.want)
		case err != nil && len(tt.name) > 1 && strings.Contains(err.Error(), tt.name):
			t.Errorf("the error contains the path: %v", err)
		case err == nil && (!g.Outside || g.Mount != tt.name || g.Mode != tt.mode || g.Real == "" || g.Is == nil):
			t.Errorf("%s: got %+v", tt.name, g)
		}
	}
}

// outside returns the mount of a path that a person approves.
func outside(t *testing.T, name string, mode capability.Mode) capability.GrantedFS {
	t.Helper()
	g, err := files.Outside(name, mode, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestOutsideShowsOnlyItsFile(t *testing.T) {
	dir := outsideDir(t, "only", "other", "sub/only")
	symlink(t, "other", filepath.Join(dir, "link"))
	for _, mode := range []capability.Mode{capability.ModeRead, capability.ModeWrite} {
		fsys := newFS(t, outside(t, dir+"/only", mode))
		v := fsys.View(dir)
		if text, err := readFile(v, "only"); err != nil || text != "content of only" {
			t.Errorf("%v: got %q, %v", mode, text, err)
		}
		if names := list(t, v, "."); strings.Join(names, " ") != "only" {
			t.Errorf("%v: the directory shows %q", mode, names)
		}
		for _, name := range []string{"other", "link", "sub", "sub/only", "missing", "only/x"} {
			_, statErr := v.Lstat(name)
			_, openErr := v.Open(name, 0)
			_, linkErr := v.Readlink(name)
			batch := fsys.Batch(t.Context(), []string{dir + "/" + name})
			for op, err := range map[string]error{
				"lstat": statErr, "open": openErr, "readlink": linkErr, "batch stat": batch.Stat()[0].Err,
				"batch read": batch.Read(100, make([]byte, 200))[0].Err, "batch list": batch.List(make([]byte, 200))[0].Err,
			} {
				if !errors.Is(err, fs.ErrPermission) {
					t.Errorf("%v: %s %s: got %v", mode, op, name, err)
				}
			}
			for op, err := range map[string]error{
				"replace": v.Replace(name, []byte("x"), nil), "mkdir": v.Mkdir(name), "unlink": v.Unlink(name),
				"rmdir": v.Rmdir(name), "rename from": v.Rename(name, "only"), "rename to": v.Rename("only", name),
			} {
				if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, files.ErrReadOnly) {
					t.Errorf("%v: %s %s: got %v", mode, op, name, err)
				}
			}
		}
		answers := fsys.Batch(t.Context(), []string{dir + "/only"}).Read(100, make([]byte, 200))
		if string(answers[0].Content) != "content of only" {
			t.Errorf("%v: a batch reads %q, %v", mode, answers[0].Content, answers[0].Err)
		}
	}
	fsys := newFS(t, outside(t, dir+"/only", capability.ModeWrite))
	if err := fsys.View(dir).Replace("only", []byte("new"), nil); err != nil {
		t.Error(err)
	}
	if text, err := readFile(fsys.View(dir), "only"); err != nil || text != "new" {
		t.Errorf("after replacing: got %q, %v", text, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "other")); err != nil || string(text) != "content of other" {
		t.Errorf("the other file: got %q, %v", text, err)
	}
}

func TestOutsideCreatesItsFile(t *testing.T) {
	dir := outsideDir(t)
	fsys := newFS(t, outside(t, dir+"/new", capability.ModeWrite))
	if err := fsys.View(dir).Replace("new", []byte("x"), nil); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(dir + "/new"); err != nil || string(text) != "x" {
		t.Errorf("got %q, %v", text, err)
	}
}

// TestOutsideNoticesSwaps replaces what a person approved, before it is opened and while it is.
func TestOutsideNoticesSwaps(t *testing.T) {
	for name, swap := range map[string]func(t *testing.T, dir string){
		"link":       func(t *testing.T, dir string) { symlink(t, "secret", dir+"/file") },
		"other file": func(t *testing.T, dir string) { write(t, dir, map[string]string{"file": canary}) },
		"hard link":  func(t *testing.T, dir string) { must(t, os.Link(dir+"/secret", dir+"/file")) },
		"moved":      func(t *testing.T, dir string) { must(t, os.Rename(dir+"/secret", dir+"/file")) },
		"directory":  func(t *testing.T, dir string) { must(t, os.Mkdir(dir+"/file", 0o755)) },
		"fifo":       func(t *testing.T, dir string) { must(t, syscall.Mkfifo(dir+"/file", 0o600)) },
		"gone":       func(*testing.T, string) {},
	} {
		for _, mode := range []capability.Mode{capability.ModeRead, capability.ModeWrite} {
			dir := outsideDir(t, "file")
			write(t, dir, map[string]string{"secret": canary})
			g := outside(t, dir+"/file", mode)
			running := newFS(t, g)
			must(t, os.Rename(dir+"/file", dir+"/was"))
			swap(t, dir)
			if fsys, err := files.New([]capability.GrantedFS{g}, files.Options{}); err == nil {
				t.Errorf("%s, %v: mounted", name, mode)
				_ = fsys.Close()
			}
			text, err := readFile(running.View(dir), "file")
			if mode == capability.ModeRead && err == nil || name == "link" && err == nil {
				t.Errorf("%s: a running call reads %q", name, text)
			}
		}
	}
	dir := outsideDir(t, "parent/file")
	g := outside(t, dir+"/parent/file", capability.ModeRead)
	must(t, os.Rename(dir+"/parent", dir+"/was"))
	write(t, dir, map[string]string{"parent/file": canary})
	if _, err := files.New([]capability.GrantedFS{g}, files.Options{}); err == nil {
		t.Error("a replaced parent directory: mounted")
	}
	g = outside(t, dir+"/new", capability.ModeWrite)
	write(t, dir, map[string]string{"new": "appeared"})
	if _, err := files.New([]capability.GrantedFS{g}, files.Options{}); err == nil {
		t.Error("a file that was to be new: mounted")
	}
}

// TestOutsideIsProtectedWhenOpened covers protected paths that only the code that opens mounts
// knows. They are refused for reading as well.
func TestOutsideIsProtectedWhenOpened(t *testing.T) {
	dir := outsideDir(t, "state/file", "conf")
	o := files.Options{Protected: []string{dir + "/state", dir + "/conf"}}
	for _, name := range []string{"/state", "/state/file", "/conf", ""} {
		if fsys, err := files.New([]capability.GrantedFS{outside(t, dir+name, capability.ModeRead)}, o); err == nil {
			t.Errorf("%q: mounted", name)
			_ = fsys.Close()
		}
	}
}

func TestOutsideBesideOtherMounts(t *testing.T) {
	dir := outsideDir(t, "notes", "work/main.go", "work/sub/x")
	for name, ok := range map[string]bool{"/notes": true, "/work/main.go": false, "/work/sub/x": false, "/work/sub": false, "": false} {
		for _, mode := range []capability.Mode{capability.ModeRead, capability.ModeWrite} {
			work := capability.GrantedFS{FS: capability.FS{Mount: "workspace", Mode: mode, Deny: []string{".git"}}, Dir: dir + "/work"}
			fsys, err := files.New(grants(work, outside(t, dir+name, capability.ModeRead)), files.Options{})
			if (err == nil) != ok {
				t.Errorf("%q beside a workspace for %v: got %v", name, mode, err)
			}
			if err == nil {
				_ = fsys.Close()
			}
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
