package guestfs

import (
	"io/fs"

	"github.com/tetratelabs/wazero/experimental/sys"
)

// isUtimens reports whether the engine opens a file only to set its times, which it does when a
// link must not be followed. A guest that opens a file cannot request a mode of 0, so the mode
// identifies the engine.
func isUtimens(flag sys.Oflag, perm fs.FileMode) bool { return flag == sys.O_WRONLY && perm == 0 }

// timesOnly lets the engine set times, and nothing else. Opening the file for writing, as the
// engine requests, would fail for a directory and follow a link.
type timesOnly struct {
	sys.UnimplementedFile
	fs   *guestFS
	name string
}

// Utimens sets the times. It refuses a link.
func (t *timesOnly) Utimens(atim, mtim int64) sys.Errno {
	return t.fs.utimens(t.name, false, atim, mtim)
}
