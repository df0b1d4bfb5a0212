package guestfs

import (
	"io/fs"

	"github.com/tetratelabs/wazero/experimental/sys"
)

// isUtimens tells the engine's opening of a file whose times it is about to set,
// which it does when a link is not to be followed, from a guest that opens a file:
// a guest cannot ask for a mode of 0.
func isUtimens(flag sys.Oflag, perm fs.FileMode) bool { return flag == sys.O_WRONLY && perm == 0 }

// timesOnly is what the engine gets to set times with: opening the file for writing,
// as it wants, would fail for a directory and follow a link. It can do nothing else.
type timesOnly struct {
	sys.UnimplementedFile
	fs   *guestFS
	name string
}

// Utimens sets the times, and refuses a link.
func (t *timesOnly) Utimens(atim, mtim int64) sys.Errno {
	return t.fs.utimens(t.name, false, atim, mtim)
}
