// Package guestfs shows the file system of a call to the WASM engine. It decides
// nothing: what may be read and written is up to hostfuncs. Only links and modes are
// refused here, in one place, without looking at anything: no guest makes either.
package guestfs

import (
	"io/fs"
	"path"

	"github.com/tetratelabs/wazero/experimental/sys"
	wazerosys "github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// New returns the files below the guest path prefix as a pre-opened directory of
// an instance, "/" for all. current returns the file system of the call that the
// instance serves at that moment, or nil between calls, when everything fails
// with EBADF; it is asked at every operation, so one instance can serve one call
// after another.
//
// traces notes what a call leaves behind in the engine; all preopens of an instance
// have the same. The result is safe for concurrent use if current is, but for traces.
func New(current func() *files.FS, prefix string, traces *Traces) sys.FS {
	// A pointer, because the engine compares file systems with ==.
	return &guestFS{current: current, prefix: prefix, traces: traces}
}

// guestFS lists every method of sys.FS itself: an embedded default would let a
// method of a later engine through unseen.
type guestFS struct {
	current func() *files.FS
	prefix  string
	traces  *Traces
}

// view returns the files of the current call.
func (g *guestFS) view() (files.View, sys.Errno) {
	fsys := g.current()
	if fsys == nil {
		return files.View{}, sys.EBADF
	}
	return fsys.View(g.prefix), 0
}

// OpenFile opens a file or directory. The mode is the engine's own choice, which
// would keep what a guest writes from everybody but the host's user; it counts for
// nothing.
func (g *guestFS) OpenFile(name string, flag sys.Oflag, perm fs.FileMode) (sys.File, sys.Errno) {
	if isPreopen(name, flag, perm) {
		return &preopenDir{fs: g}, 0
	}
	if isUtimens(flag, perm) {
		return &timesOnly{fs: g, name: name}, 0
	}
	view, errno := g.view()
	if errno != 0 {
		return nil, errno
	}
	f, err := view.Open(name, openFlags(flag))
	if err != nil {
		return nil, toErrno(err)
	}
	g.traces.open++
	return &file{f: f, traces: g.traces}, 0
}

// openFlags ignores what makes no difference, and takes every flag that is not
// known for an intent to change something.
func openFlags(flag sys.Oflag) files.OpenFlags {
	// What is written reaches the disk when the guest or the host says so.
	known := sys.O_NONBLOCK | sys.O_DSYNC | sys.O_RSYNC | sys.O_SYNC
	var flags files.OpenFlags
	for _, f := range openFlagTable {
		known |= f.engine
		if flag&f.engine != 0 {
			flags |= f.flags
		}
	}
	if flag&^known != 0 {
		flags |= files.OpenOther
	}
	return flags
}

var openFlagTable = []struct {
	engine sys.Oflag
	flags  files.OpenFlags
}{
	{sys.O_RDWR, files.OpenWrite},
	{sys.O_WRONLY, files.OpenWrite | files.OpenNoRead},
	{sys.O_APPEND, files.OpenAppend},
	{sys.O_CREAT, files.OpenCreate},
	{sys.O_DIRECTORY, files.OpenDirectory},
	{sys.O_EXCL, files.OpenExclusive},
	{sys.O_NOFOLLOW, files.OpenNoFollow},
	{sys.O_TRUNC, files.OpenTruncate},
}

// Stat describes a file, following links.
func (g *guestFS) Stat(name string) (wazerosys.Stat_t, sys.Errno) {
	return g.stat(name, files.View.Stat)
}

// Lstat describes a file or the link itself.
func (g *guestFS) Lstat(name string) (wazerosys.Stat_t, sys.Errno) {
	return g.stat(name, files.View.Lstat)
}

func (g *guestFS) stat(name string, stat func(files.View, string) (fs.FileInfo, error)) (wazerosys.Stat_t, sys.Errno) {
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

// Mkdir makes a directory. As with OpenFile, the mode counts for nothing.
func (g *guestFS) Mkdir(name string, _ fs.FileMode) sys.Errno {
	return g.change(func(v files.View) error { return v.Mkdir(name) })
}

// Chmod is refused. WASI has no such call; a guest must not get it with a later
// engine.
func (g *guestFS) Chmod(string, fs.FileMode) sys.Errno { return sys.EROFS }

// Rename moves a file or directory within its mount.
func (g *guestFS) Rename(from, to string) sys.Errno {
	return g.change(func(v files.View) error { return v.Rename(from, to) })
}

// Rmdir removes an empty directory.
func (g *guestFS) Rmdir(name string) sys.Errno {
	return g.change(func(v files.View) error { return v.Rmdir(name) })
}

// Unlink removes a file or a link.
func (g *guestFS) Unlink(name string) sys.Errno {
	return g.change(func(v files.View) error { return v.Unlink(name) })
}

// Link is refused: guests create no links, on whatever mount.
func (*guestFS) Link(string, string) sys.Errno { return sys.EPERM }

// Symlink is refused: guests create no links, on whatever mount.
func (*guestFS) Symlink(string, string) sys.Errno { return sys.EPERM }

// Utimens sets the times of what the path leads to.
func (g *guestFS) Utimens(name string, atim, mtim int64) sys.Errno {
	return g.utimens(name, true, atim, mtim)
}

func (g *guestFS) utimens(name string, follow bool, atim, mtim int64) sys.Errno {
	return g.change(func(v files.View) error { return v.Chtimes(name, follow, toTime(atim), toTime(mtim)) })
}

func (g *guestFS) change(do func(files.View) error) sys.Errno {
	view, errno := g.view()
	if errno != 0 {
		return errno
	}
	return toErrno(do(view))
}
