// Package guestfs shows the file system of a call to the WASM engine. It decides
// nothing: what may be read is up to hostfuncs, and whatever would create or
// change a file is refused here, in one place, without looking at it.
package guestfs

import (
	"io/fs"
	"path"

	"github.com/tetratelabs/wazero/experimental/sys"
	wazerosys "github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// New returns the files below the guest path prefix as a pre-opened directory of
// an instance, "/" for all. current returns the file system of the call that the
// instance serves at that moment, or nil between calls, when everything fails
// with EBADF; it is asked at every operation, so one instance can serve one call
// after another.
//
// The result is safe for concurrent use if current is.
func New(current func() *hostfuncs.FS, prefix string) sys.FS {
	// A pointer, because the engine compares file systems with ==.
	return &guestFS{current: current, prefix: prefix}
}

// guestFS lists every method of sys.FS itself: an embedded default would let a
// method of a later engine through unseen.
type guestFS struct {
	current func() *hostfuncs.FS
	prefix  string
}

// view returns the files of the current call.
func (g *guestFS) view() (hostfuncs.View, sys.Errno) {
	files := g.current()
	if files == nil {
		return hostfuncs.View{}, sys.EBADF
	}
	return files.View(g.prefix), 0
}

// OpenFile opens a file or directory for reading; any flag that could change
// something is EROFS.
func (g *guestFS) OpenFile(name string, flag sys.Oflag, perm fs.FileMode) (sys.File, sys.Errno) {
	if isPreopen(name, flag, perm) {
		return &preopenDir{fs: g}, 0
	}
	view, errno := g.view()
	if errno != 0 {
		return nil, errno
	}
	f, err := view.Open(name, openFlags(flag))
	if err != nil {
		return nil, toErrno(err)
	}
	return &file{f: f}, 0
}

// openFlags keeps what reading needs, ignores what makes no difference to it, and
// takes every other flag, known or not, for an intent to change something.
func openFlags(flag sys.Oflag) hostfuncs.OpenFlags {
	const harmless = sys.O_NONBLOCK | sys.O_DSYNC | sys.O_RSYNC | sys.O_SYNC
	var flags hostfuncs.OpenFlags
	if flag&sys.O_DIRECTORY != 0 {
		flags |= hostfuncs.OpenDirectory
	}
	if flag&sys.O_NOFOLLOW != 0 {
		flags |= hostfuncs.OpenNoFollow
	}
	if flag&^(sys.O_RDONLY|sys.O_DIRECTORY|sys.O_NOFOLLOW|harmless) != 0 {
		flags |= hostfuncs.OpenChange
	}
	return flags
}

// Stat describes a file, following links.
func (g *guestFS) Stat(name string) (wazerosys.Stat_t, sys.Errno) {
	return g.stat(name, hostfuncs.View.Stat)
}

// Lstat describes a file or the link itself.
func (g *guestFS) Lstat(name string) (wazerosys.Stat_t, sys.Errno) {
	return g.stat(name, hostfuncs.View.Lstat)
}

func (g *guestFS) stat(name string, stat func(hostfuncs.View, string) (fs.FileInfo, error)) (wazerosys.Stat_t, sys.Errno) {
	view, errno := g.view()
	if errno != 0 {
		return wazerosys.Stat_t{}, errno
	}
	info, err := stat(view, name)
	if err != nil {
		return wazerosys.Stat_t{}, toErrno(err)
	}
	return toStat(info, path.Join("/", g.prefix, name)), 0
}

// Readlink returns the target of a link that stays in its mount.
func (g *guestFS) Readlink(name string) (string, sys.Errno) {
	view, errno := g.view()
	if errno != 0 {
		return "", errno
	}
	target, err := view.Readlink(name)
	return target, toErrno(err)
}

// Mkdir is refused.
func (*guestFS) Mkdir(string, fs.FileMode) sys.Errno { return sys.EROFS }

// Chmod is refused.
func (*guestFS) Chmod(string, fs.FileMode) sys.Errno { return sys.EROFS }

// Rename is refused.
func (*guestFS) Rename(string, string) sys.Errno { return sys.EROFS }

// Rmdir is refused.
func (*guestFS) Rmdir(string) sys.Errno { return sys.EROFS }

// Unlink is refused.
func (*guestFS) Unlink(string) sys.Errno { return sys.EROFS }

// Link is refused: guests create no links, on whatever mount.
func (*guestFS) Link(string, string) sys.Errno { return sys.EPERM }

// Symlink is refused: guests create no links, on whatever mount.
func (*guestFS) Symlink(string, string) sys.Errno { return sys.EPERM }

// Utimens is refused.
func (*guestFS) Utimens(string, int64, int64) sys.Errno { return sys.EROFS }
