// Package guestfs presents the file system of a call to the WASM engine. It makes no decisions:
// package hostfuncs decides what may be read and written. The only exceptions are links and modes,
// which are always refused here, because no guest may create links or change modes.
package guestfs

import (
	"io/fs"
	"path"
	"slices"

	"github.com/tetratelabs/wazero/experimental/sys"
	wazerosys "github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// New returns the files below the guest path prefix ("/" for all) as a pre-opened directory of an
// instance. current returns the file system of the call that the instance serves at that moment, or
// nil between calls; every operation then fails with EBADF. It is called for every operation, so an
// instance can serve several calls, one at a time.
//
// traces records what the guest has seen and what a call leaves behind in the engine; all preopens
// of an instance share it. The result is safe for concurrent use if current is, except for traces.
func New(current func() *files.FS, prefix string, traces *Traces) sys.FS {
	// The engine compares file systems with ==, so this is a pointer.
	return &guestFS{current: current, prefix: prefix, traces: traces}
}

// guestFS implements every method of sys.FS itself. An embedded default could silently provide a
// method that a later engine adds.
type guestFS struct {
	current func() *files.FS
	prefix  string
	traces  *Traces
}

// view returns the files of the current call, for an operation that uses one of them.
func (g *guestFS) view() (files.View, sys.Errno) {
	g.traces.touched = true
	return g.untouched()
}

// viewFor is view for an operation that only looks at a name. Where no mount is, the result of such
// an operation follows from the name and the guest paths of the mounts, and no file is touched.
func (g *guestFS) viewFor(name string, constant ...files.Place) (files.View, sys.Errno) {
	view, errno := g.untouched()
	if errno == 0 && !slices.Contains(constant, view.Place(name)) {
		g.traces.touched = true
	}
	return view, errno
}

func (g *guestFS) untouched() (files.View, sys.Errno) {
	fsys := g.current()
	if fsys == nil {
		return files.View{}, sys.EBADF
	}
	return fsys.View(g.prefix), 0
}

// OpenFile opens a file or directory. It ignores the mode, which comes from the engine. With that
// mode, only the host's user could read the files that a guest writes.
func (g *guestFS) OpenFile(name string, flag sys.Oflag, perm fs.FileMode) (sys.File, sys.Errno) {
	if isPreopen(name, flag, perm) {
		return &preopenDir{fs: g}, 0
	}
	if isUtimens(flag, perm) {
		return &timesOnly{fs: g, name: name}, 0
	}
	view, errno := g.viewFor(name, files.PlaceNone)
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

// openFlags converts the flags of the engine. It ignores flags without effect, and treats every
// unknown flag as an intent to change something.
func openFlags(flag sys.Oflag) files.OpenFlags {
	// The flags for synchronous writes are ignored: data reaches the disk when the guest or the
	// host requests it.
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
	view, errno := g.viewFor(name, files.PlaceNone, files.PlaceSynthetic)
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
	view, errno := g.viewFor(name, files.PlaceNone, files.PlaceSynthetic)
	if errno != 0 {
		return "", errno
	}
	target, err := view.Readlink(name)
	return target, toErrno(err)
}

// Mkdir creates a directory. Like OpenFile, it ignores the mode.
func (g *guestFS) Mkdir(name string, _ fs.FileMode) sys.Errno {
	return g.change(func(v files.View) error { return v.Mkdir(name) })
}

// Chmod is refused. WASI has no such function, and a later engine must not provide it.
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

// Link is refused, because guests create no links on any mount.
func (*guestFS) Link(string, string) sys.Errno { return sys.EPERM }

// Symlink is refused, because guests create no links on any mount.
func (*guestFS) Symlink(string, string) sys.Errno { return sys.EPERM }

// Utimens sets the times of a file, following links.
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
