//go:build !linux

package files

import (
	"context"
	"io/fs"
	"os"
)

// openPlain is not available: only Linux can open a path without links in one step.
func (*mount) openPlain(string, opening) (file *os.File, info fs.FileInfo, ok bool) {
	return nil, nil, false
}

// isKernelFS reports whether an open file belongs to a file system that exposes the kernel. On
// systems other than Linux, refusing the system directories is sufficient.
func isKernelFS(*os.File) bool { return false }

// renameNew renames a file within one directory to a name that did not exist at the last check. If
// another process has created that name since, its file is replaced, because package os offers no
// alternative.
func (m *mount) renameNew(from, to held) error { return m.renameHeld(from, to) }

// batchDirectory is empty here: each file is opened from its mount.
type batchDirectory struct{}

func (*batchDirectory) close() {}

func (*batchWorker) statPlain(string) (Answer, bool) { return Answer{}, false }

func (*batchWorker) readPlain(context.Context, string, int, *batchRoom) (Answer, bool) {
	return Answer{}, false
}
