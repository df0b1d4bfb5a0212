package guestfs

import (
	"io/fs"

	"github.com/tetratelabs/wazero/experimental/sys"
	wazerosys "github.com/tetratelabs/wazero/sys"
)

// isUtimens tells the engine's opening of a file whose times it is about to set,
// which it does when a link is not to be followed, from a guest that opens a file:
// a guest cannot ask for a mode of 0.
func isUtimens(flag sys.Oflag, perm fs.FileMode) bool { return flag == sys.O_WRONLY && perm == 0 }

// timesOnly is what the engine gets to set times with: opening the file for writing,
// as it wants, would fail for a directory and follow a link. It can do nothing else.
type timesOnly struct {
	readOnly
	fs   *guestFS
	name string
}

// Utimens sets the times, and refuses a link.
func (t *timesOnly) Utimens(atim, mtim int64) sys.Errno {
	return t.fs.utimens(t.name, false, atim, mtim)
}

// Dev is refused.
func (*timesOnly) Dev() (uint64, sys.Errno) { return 0, sys.EBADF }

// Ino is refused.
func (*timesOnly) Ino() (wazerosys.Inode, sys.Errno) { return 0, sys.EBADF }

// IsDir is refused.
func (*timesOnly) IsDir() (bool, sys.Errno) { return false, sys.EBADF }

// Stat is refused.
func (*timesOnly) Stat() (wazerosys.Stat_t, sys.Errno) { return wazerosys.Stat_t{}, sys.EBADF }

// Read is refused.
func (*timesOnly) Read([]byte) (int, sys.Errno) { return 0, sys.EBADF }

// Pread is refused.
func (*timesOnly) Pread([]byte, int64) (int, sys.Errno) { return 0, sys.EBADF }

// Seek is refused.
func (*timesOnly) Seek(position, int) (int64, sys.Errno) { return 0, sys.EBADF }

// Readdir is refused.
func (*timesOnly) Readdir(int) ([]sys.Dirent, sys.Errno) { return nil, sys.EBADF }

// Close has nothing to close.
func (*timesOnly) Close() sys.Errno { return 0 }
