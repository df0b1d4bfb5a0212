//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestLoadTrustsNoFileOfOthers(t *testing.T) {
	for _, tt := range []struct {
		name            string
		file, directory os.FileMode
		want            string
	}{
		{"own", 0o600, 0o700, ""},
		{"to be read by all", 0o644, 0o755, ""},
		{"group writes", 0o620, 0o700, "can be changed by other users"},
		{"others write", 0o602, 0o700, "can be changed by other users"},
		{"group writes the directory", 0o600, 0o770, "can be replaced by other users, who can write to its directory"},
		{"others write the directory", 0o600, 0o777, "can be replaced by other users, who can write to its directory"},
		{"both", 0o666, 0o777, "can be changed by other users, who could grant permissions; remove that permission: chmod go-w\nmy.toml: can be replaced by other users"},
		{"sticky directory", 0o600, 0o777 | os.ModeSticky, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(privateDir(t), "config")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, FileName)
			writeFile(t, path, "")
			link := filepath.Join(privateDir(t), "link.toml")
			if err := os.Symlink(path, link); err != nil {
				t.Fatal(err)
			}
			for name, mode := range map[string]os.FileMode{path: tt.file, dir: tt.directory} {
				if err := os.Chmod(name, mode); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range []string{path, link} {
				_, err := Load(File{Path: name, Name: "my.toml", Named: true}, getenv)
				if (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), "my.toml: "+tt.want) {
					t.Errorf("%s: got %v, want %q", filepath.Base(name), err, tt.want)
				}
			}
		})
	}
}

func TestLoadTrustsNoFolderAbove(t *testing.T) {
	top := filepath.Join(privateDir(t), "top")
	dir := filepath.Join(top, "a", "b")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, FileName)
	writeFile(t, path, "")
	if err := os.Chmod(top, 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := Load(File{Path: path, Name: "my.toml", Named: true}, getenv)
	if want := "my.toml: can be replaced by other users, who can write to the directory 3 levels above it; remove that permission: chmod go-w"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestLoadDoesNotWaitForAPipe(t *testing.T) {
	path := filepath.Join(privateDir(t), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("there are no pipes with names here:", err)
	}
	_, err := Load(File{Path: path, Name: "my.toml", Named: true}, getenv)
	if want := "my.toml: is a named pipe; name a regular file"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
