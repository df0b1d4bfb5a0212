//go:build !linux

package files

import (
	"context"
	"io/fs"
	"os"
)

// openPlain is for systems that open a path with no link on the way in one step.
func (*mount) openPlain(string, opening) (file *os.File, info fs.FileInfo, ok bool) {
	return nil, nil, false
}

// isKernelFS reports whether an open file belongs to a file system in which the
// kernel shows itself. Elsewhere than on Linux the system directories are enough.
func isKernelFS(*os.File) bool { return false }

// renameNew renames in one directory to a name that nothing bore at the last look. What another
// has put there since is replaced: package os knows no better.
func (m *mount) renameNew(from, to held) error { return m.renameHeld(from, to) }

// batchFolder is nothing here: each file is opened from its mount.
type batchFolder struct{}

func (*batchFolder) close() {}

func (*batchWorker) statPlain(string) (Answer, bool) { return Answer{}, false }

func (*batchWorker) readPlain(context.Context, string, int, *batchRoom) (Answer, bool) {
	return Answer{}, false
}
