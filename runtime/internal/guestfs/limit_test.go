package guestfs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// The limit on open files applies to every way to open a file. At the limit, preopens still open.
// Otherwise the engine would panic.
func TestOpenFilesAreLimited(t *testing.T) {
	ws := t.TempDir()
	write(t, ws, map[string]string{"f": "fine", "d/g": ""})
	for _, name := range []string{".", "f", "d", "d/."} {
		fsys := newFS(t, files.Options{MaxOpenFiles: 8}, ws)
		again := open(name)
		again.Repeated = 7
		results := run(
			t, always(fsys),
			again,
			open(name),
			op{Op: "path_filestat_get", FD: fdRoot, Path: path("workspace/f")},
			op{Op: "fd_filestat_get", FD: fdWork},
			op{Op: "fd_readdir", FD: fdRoot, Bytes: 1000},
			op{Op: "fd_close", FD: last},
			open("f"),
		)
		var got []string
		for _, r := range results {
			got = append(got, r.Errno)
		}
		if want := []string{"", "EAGAIN", "", "", "EAGAIN", "", ""}; !slices.Equal(got, want) {
			t.Errorf("open %s: got %q, want %q", name, got, want)
		}
		if hit := fsys.LimitHit(); hit != "open files (8)" {
			t.Errorf("LimitHit: %q", hit)
		}
	}
}

// Buffers of every size list a directory completely, over many calls of fd_readdir.
func TestGuestListsWholeDirectory(t *testing.T) {
	ws := t.TempDir()
	many := map[string]string{".env": canary}
	var want []string
	for i := range 1000 {
		name := fmt.Sprintf("f%03d", i)
		many[name] = ""
		want = append(want, "/workspace/"+name)
	}
	write(t, ws, many)
	results := run(
		t, always(newFS(t, files.Options{}, ws, "**/.env")),
		op{Op: "walk", Path: path("/workspace")},
		op{Op: "walk", Path: path("/workspace")},
		op{Op: "fd_readdir", FD: fdWork, Bytes: 24 * 3},
		op{Op: "fd_readdir", FD: fdWork, Bytes: 10}, // too small for one entry
		op{Op: "fd_readdir_lie", FD: fdWork, Bytes: 64 << 10},
	)
	for _, r := range results[:2] {
		if got := strings.Split(string(r.Data), "\n"); r.Errno != "" || !slices.Equal(got[1:], want) {
			t.Errorf("walk: %q, %d names", r.Errno, len(got)-1)
		}
	}
	if r := results[2]; r.Errno != "" || r.N != 24*3 {
		t.Errorf("fd_readdir: %q, %d bytes", r.Errno, r.N)
	}
	if r := results[3]; r.Errno != "EINVAL" {
		t.Errorf("fd_readdir with no room: %q", r.Errno)
	}
	if r := results[4]; r.Errno != "" || r.N < 1000*28 {
		t.Errorf("fd_readdir with a false length: %q, %d bytes", r.Errno, r.N)
	}
}

// Between calls, no file is accessible. Files that one call left open cannot be used in the next
// call.
func TestFilesBelongToCurrentCall(t *testing.T) {
	ws := t.TempDir()
	write(t, ws, map[string]string{"f": "fine"})
	results := run(
		t, func() *files.FS { return nil },
		open("f"),
		op{Op: "fd_filestat_get", FD: fdWork},
		op{Op: "fd_readdir", FD: fdRoot, Bytes: 100},
		op{Op: "read_file", Path: path("/workspace/f")},
	)
	for _, r := range results {
		if r.Errno != "EBADF" {
			t.Errorf("without a call, %s: %q", r.Op, r.Errno)
		}
	}

	revoked := newFS(t, files.Options{}, ws)
	calls := 0
	revoke := func() *files.FS {
		// The guest opens a file, and then the call ends.
		if calls++; calls == 2 {
			revoked.Revoke()
		}
		return revoked
	}
	results = run(
		t, revoke,
		open("f"), // calls current once
		op{Op: "fd_read", FD: last, Bytes: 2},
		op{Op: "path_filestat_get", FD: fdWork, Path: path("f")}, // calls current again
		op{Op: "fd_read", FD: last, Bytes: 2},
		op{Op: "fd_pread", FD: last, Bytes: 2},
		op{Op: "fd_seek", FD: last},
		op{Op: "fd_filestat_get", FD: last},
		open("f"),
		op{Op: "fd_close", FD: last},
	)
	var got []string
	for _, r := range results {
		got = append(got, r.Errno)
	}
	if want := []string{"", "", "EBADF", "EBADF", "EBADF", "EBADF", "EBADF", "EBADF", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
