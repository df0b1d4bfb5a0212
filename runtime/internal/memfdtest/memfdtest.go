// Package memfdtest counts, for tests, the files and mappings of saved guest memory in this
// process. Without /proc the counts are 0.
package memfdtest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// name is the kernel's name for the files of images.
const name = "memfd:wasmtool"

// Open returns the number of image files that this process has open.
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

// Mapped returns the number of mappings of image files.
func Mapped(t testing.TB) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return bytes.Count(maps, []byte(name))
}
