//go:build unix

package manifests

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/wasmtool/wasmtool/internal/plainfile"
)

// A special file is refused without opening it. The test would hang if opening a pipe waited for
// its other end.
func TestLoadSpecialFiles(t *testing.T) {
	dir := tree{"tool.toml": withModule("m.wasm"), "pipe/": "", "socket/": ""}.write(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "m.wasm"), 0o666); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe/tool.toml"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // because the path of a socket must be short
	listener, err := net.Listen("unix", "socket/tool.toml")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	directory := openDirectory(t, ".")
	for path, want := range map[string]string{
		"tool.toml":        `tool.toml:5:15: module.path: "m.wasm" is a named pipe; name a regular file`,
		"pipe/tool.toml":   "pipe/tool.toml: is a named pipe; name a regular file",
		"socket/tool.toml": "socket/tool.toml: is a socket; name a regular file",
	} {
		if _, err := Read(directory, path); err == nil || err.Error() != want {
			t.Errorf("error = %v, want %s", err, want)
		}
	}
}

// A file may be replaced by a pipe after it was checked. Opening the pipe must not block.
func TestOpenPipe(t *testing.T) {
	dir := tree{}.write(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	file, err := openDirectory(t, dir).files.open("pipe")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := plainfile.Read(file, 1); err == nil || !strings.Contains(err.Error(), "a named pipe") {
		t.Errorf("Read = %v, want a refusal of the pipe", err)
	}
}

func TestLoadNoPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	dir := tree{"tool.toml": minimal, "demo.wasm": ""}.write(t)
	if err := os.Chmod(filepath.Join(dir, "demo.wasm"), 0); err != nil {
		t.Fatal(err)
	}
	want := `tool.toml:5:15: module.path: "demo.wasm" cannot be read; change its permissions`
	if _, err := Read(openDirectory(t, dir), "tool.toml"); err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}
