package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// privateDir returns a directory that other users cannot write to, even if the umask allows it.
func privateDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestLoad(t *testing.T) {
	dir := privateDir(t)
	path := filepath.Join(dir, FileName)
	writeFile(t, path, "mounts.data = \"data\"\n")
	c, err := Load(File{Path: path, Name: FileName}, getenv)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Grantable(nil, "").Mounts["data"].Dir, filepath.Join(dir, "data"); got != want {
		t.Errorf("the mount is %q, want %q", got, want)
	}
	if got := c.Protected(); len(got) != 1 || got[0] != path {
		t.Errorf("protected are %q", got)
	}
}

// The path of the file itself is relative to the current directory. A path inside the file is
// relative to the directory of the file.
func TestLoadRelative(t *testing.T) {
	dir := privateDir(t)
	t.Chdir(dir)
	if err := os.Mkdir("etc", 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join("etc", FileName), "mounts.data = \"data\"\n")
	c, err := Load(File{Path: filepath.Join("etc", FileName)}, getenv)
	if err != nil {
		t.Fatal(err)
	}
	got, err := filepath.Rel(dir, c.Grantable(nil, "").Mounts["data"].Dir)
	if err != nil || got != filepath.Join("etc", "data") {
		t.Errorf("the mount is %q, %v", got, err)
	}
}

// If getenv is nil, variables are read from the environment of the process.
func TestLoadVariables(t *testing.T) {
	t.Setenv("WASMTOOL_TEST_VARIABLE", "there")
	c, err := Decode(File{}, []byte("env.WASMTOOL_TEST_VARIABLE = true"), nil)
	if err != nil || c.Grantable(nil, "").Env["WASMTOOL_TEST_VARIABLE"] != "there" {
		t.Errorf("got %v, %v", c, err)
	}
}

func TestLoadMissing(t *testing.T) {
	path := filepath.Join(privateDir(t), FileName)
	for _, f := range []File{{}, {Path: path, Name: "~/x"}, {Path: filepath.Join(path, FileName), Name: "~/x"}} {
		c, err := Load(f, getenv)
		if err != nil || !c.Grantable(nil, "").Clock {
			t.Errorf("%+v: got %v, %v", f, c, err)
		}
		// The file must be protected, because a tool that changes it could grant itself any
		// permission.
		if f.Path != "" && (len(c.Protected()) != 1 || c.Protected()[0] != f.Path) {
			t.Errorf("protected are %q", c.Protected())
		}
	}
	_, err := Load(File{Path: path, Name: "sub/my.toml", Named: true}, getenv)
	if err == nil || err.Error() != "sub/my.toml: does not exist" {
		t.Errorf("got %v", err)
	}
}

func TestLoadRefusesOtherFiles(t *testing.T) {
	dir := privateDir(t)
	large := filepath.Join(dir, "large.toml")
	writeFile(t, large, strings.Repeat("#", MaxFileBytes+1))
	for path, want := range map[string]string{
		dir:         "x.toml: is a directory; name a regular file",
		large:       "x.toml: is larger than the limit of 256KiB",
		os.DevNull:  "x.toml: is a device; name a regular file",
		"\x00":      "x.toml: cannot be read: invalid argument",
		dir + "/\n": "x.toml: does not exist",
	} {
		if runtime.GOOS == "windows" && path != dir && path != large {
			continue
		}
		_, err := Load(File{Path: path, Name: "x.toml", Named: true}, getenv)
		if err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", path, err, want)
		}
	}
}

func TestFind(t *testing.T) {
	env := func(pairs ...string) func(string) (string, bool) {
		return func(name string) (string, bool) {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1], true
				}
			}
			return "", false
		}
	}
	cwd, other := abs("work"), abs("other", "my.toml")
	inHome := File{Path: filepath.Join(home, ".config", "wasmtool", FileName), Name: "~/.config/wasmtool/wasmtool.toml"}
	for _, tt := range []struct {
		name, explicit string
		env            func(string) (string, bool)
		want           File
		linux          bool
	}{
		{"flag", "my.toml", env(PathVariable, "no.toml", "HOME", home), File{filepath.Join(cwd, "my.toml"), "my.toml", true}, false},
		{"absolute flag", other, env(), File{other, filepath.ToSlash(other), true}, false},
		{"flag that leads up", "../my.toml", env(), File{abs("my.toml"), "../my.toml", true}, false},
		{"variable", "", env(PathVariable, "sub/my.toml", "HOME", home), File{filepath.Join(cwd, "sub", "my.toml"), "sub/my.toml", true}, false},
		{"empty variable", "", env(PathVariable, "", "HOME", home), inHome, true},
		{"home", "", env("HOME", home), inHome, true},
		{"XDG", "", env("HOME", home, "XDG_CONFIG_HOME", abs("xdg")), File{filepath.Join(abs("xdg"), "wasmtool", FileName), "$XDG_CONFIG_HOME/wasmtool/wasmtool.toml", false}, true},
		{"relative XDG", "", env("HOME", home, "XDG_CONFIG_HOME", "xdg"), inHome, true},
		{"relative home", "", env("HOME", "home"), File{}, true},
		{"nothing", "", env(), File{}, false},
	} {
		if tt.linux && runtime.GOOS != "linux" {
			continue
		}
		if got := Find(cwd, tt.explicit, tt.env); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// A file in the working directory is not used, because an agent may have written it.
func TestFindDoesNotTakeTheWorkingDirectory(t *testing.T) {
	dir := privateDir(t)
	writeFile(t, filepath.Join(dir, FileName), "grants.allow = [\"net:any\"]")
	none := func(string) (string, bool) { return "", false }
	c, err := Load(Find(dir, "", none), none)
	if err != nil || len(c.Grantable(nil, "").Net) != 0 {
		t.Errorf("got %v, %v", c, err)
	}
}
