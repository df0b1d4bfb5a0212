// Package memfdtest counts, for tests, what guest memory that was saved takes of the
// process. Where there is no /proc it counts nothing.
package memfdtest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// name is how the kernel calls the files of images.
const name = "memfd:wasmtool"

// Open counts the files in memory that this process has open.
func Open(t testing.TB) int {
	t.Helper()
	fds, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, fd := range fds {
		if target, err := os.Readlink(fd); err == nil && strings.Contains(target, name) {
			n++
		}
	}
	return n
}

// Mapped counts the mappings of such files.
func Mapped(t testing.TB) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return bytes.Count(maps, []byte(name))
}
