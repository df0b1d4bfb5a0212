package files

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// TestOpenPlain checks that the fast path opens only regular files and directories that are reached
// without a link. For everything else, the caller uses the slow path, which applies the rules of
// the mount.
func TestOpenPlain(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "w")
	for _, name := range []string{"w/d/e", "out"} {
		if err := os.MkdirAll(filepath.Join(top, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"f", "d/e/g", "../out/secret"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"in": "f", "indir": "d", "up": "../out", "abs": filepath.Join(top, "out"), "none": "nothing"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := openMount(capability.GrantedFS{FS: capability.FS{Mount: "w", Mode: capability.ModeRead}, Dir: dir}, Options{}, new(hostPaths), false)
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	if err := withFD(m.self, func(dir int) error { return lookPlain(dir, ".") }); err != nil {
		t.Skipf("this kernel knows no openat2: %v", err)
	}
	for _, test := range []struct {
		rel    string
		o      opening
		opened bool
	}{
		{".", opening{}, true},
		{"f", opening{}, true},
		{"f", opening{noFollow: true}, true},
		{"d", opening{}, true},
		{"d", opening{mustBeDir: true}, true},
		{"d/e/g", opening{}, true},
		{"f", opening{mustBeDir: true}, false},
		{"f", opening{access: os.O_RDWR}, false},
		{"f", opening{access: os.O_WRONLY}, false},
		{"fifo", opening{}, false},
		{"nothing", opening{}, false},
		{"f/x", opening{}, false},
		{"in", opening{}, false},
		{"in", opening{noFollow: true}, false},
		{"indir", opening{}, false},
		{"indir/e/g", opening{}, false},
		{"none", opening{}, false},
		{"up/secret", opening{}, false},
		{"abs/secret", opening{}, false},
		{"..", opening{}, false},
		{"../out/secret", opening{}, false},
		{"d/../../out/secret", opening{}, false},
		{filepath.Join(top, "out/secret"), opening{}, false},
	} {
		file, info, ok := m.openPlain(test.rel, test.o)
		if ok != test.opened {
			t.Errorf("%s with %+v: opened is %v, want %v", test.rel, test.o, ok, test.opened)
		}
		if !ok {
			continue
		}
		if content, err := io.ReadAll(file); !info.IsDir() && (err != nil || string(content) != test.rel) {
			t.Errorf("%s: read %q, %v", test.rel, content, err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}
