package files

import (
	"io/fs"
	"os"
	"path"
)

// View is the part of an FS below one guest path. Its methods take a path
// relative to that, where a leading slash means the view itself; a path that
// leads out of it fails with ErrOutside. A view of a guest path that does not
// exist finds nothing. It is safe for concurrent use. The zero value is not usable.
type View struct {
	fs *FS
	at string
}

// OpenFlags says how a file is opened. The zero value opens a file or directory
// for reading and follows links.
type OpenFlags uint16

const (
	// OpenDirectory refuses a file.
	OpenDirectory OpenFlags = 1 << iota
	// OpenNoFollow refuses a link at the end of the path.
	OpenNoFollow
	// OpenWrite opens a regular file for writing as well as reading.
	OpenWrite
	// OpenNoRead, with OpenWrite, opens it for writing only.
	OpenNoRead
	// OpenCreate creates the file when there is none, even if it is opened for
	// reading. It never creates what a link leads to.
	OpenCreate
	// OpenExclusive, with OpenCreate, fails with fs.ErrExist when there is anything.
	OpenExclusive
	// OpenTruncate, with OpenWrite, empties the file.
	OpenTruncate
	// OpenAppend makes every Write go to the end of the file as it is then.
	OpenAppend
	// OpenOther stands for intents that have no flag here. It is refused.
	OpenOther
)

// readFlags are the flags that change nothing.
const readFlags = OpenDirectory | OpenNoFollow

// valid reports whether the flags mean something together.
func (flags OpenFlags) valid() bool {
	has := func(flag OpenFlags) bool { return flags&flag != 0 }
	switch {
	case flags >= OpenOther,
		(has(OpenNoRead) || has(OpenTruncate)) && !has(OpenWrite),
		has(OpenExclusive) && !has(OpenCreate),
		has(OpenDirectory) && has(OpenCreate):
		return false
	}
	return true
}

// access is what the host is asked for.
func (flags OpenFlags) access() int {
	switch {
	case flags&OpenWrite == 0:
		return os.O_RDONLY
	case flags&OpenNoRead != 0:
		return os.O_WRONLY
	}
	return os.O_RDWR
}

// Open opens a regular file or a directory, and creates or truncates a file if
// asked to. It never blocks on what the path names. The caller must Close the
// File; FS.Close does so too. What it creates anybody may read and write that the
// umask of this process lets (mode 0666).
//
// Errors: ErrReadOnly for any flag but OpenDirectory and OpenNoFollow where
// nothing may be written; fs.ErrPermission for a denied path, whether or not it
// exists, for anything that is no regular file or directory, and for writing to a
// file that runs with the rights of its owner or group; ErrIsDir for writing to a
// directory; fs.ErrExist, see OpenExclusive; ErrOutside for a link that leads out
// of the mount; ErrLoop for creating through a link; fs.ErrInvalid for flags that
// mean nothing together; ErrLimit for a file more than may be created;
// ErrTooManyOpen at the limit; and those of the host.
func (v View) Open(name string, flags OpenFlags) (*File, error) {
	file, guest, err := v.open(name, flags)
	return file, pathError("open", guest, err)
}

func (v View) open(name string, flags OpenFlags) (*File, string, error) {
	resolve := v.fs.resolve
	if flags&^readFlags != 0 {
		resolve = v.fs.resolveToChange
	}
	p, err := resolve(v.at, name)
	if err == nil && !flags.valid() {
		err = fs.ErrInvalid
	}
	if err != nil {
		return nil, p.guest, err
	}
	if err := v.fs.reserve(); err != nil {
		return nil, p.guest, err
	}
	file, err := v.fs.openPlace(p, flags)
	if err != nil {
		v.fs.cancel()
		return nil, p.guest, err
	}
	if err := v.fs.keep(file); err != nil {
		return nil, p.guest, err
	}
	return file, p.guest, nil
}

func (f *FS) openPlace(p place, flags OpenFlags) (*File, error) {
	file := &File{fs: f, place: p, flags: flags}
	if p.mount == nil {
		file.dir = &openSyntheticDir{dir: p.dir}
		return file, nil
	}
	host, info, err := f.openHost(p, flags)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		file.dir = host
		return file, nil
	}
	file.regular = host
	if err := file.prepare(); err != nil {
		_ = host.Close()
		return nil, err
	}
	if flags&OpenWrite != 0 {
		f.noteWritten(p)
	}
	if flags&OpenNoRead == 0 && p.mount.scratch == "" {
		f.readPaths.Add(p.guest)
	}
	return file, nil
}

// openHost opens what is there, or creates it. Nothing is ever created by opening
// what is there: that would create what a link leads to.
func (f *FS) openHost(p place, flags OpenFlags) (*os.File, fs.FileInfo, error) {
	o := opening{
		mustBeDir: p.mustBeDir || flags&OpenDirectory != 0,
		// As everywhere, a slash at the end asks for what a link leads to.
		noFollow: flags&OpenNoFollow != 0 && !p.mustBeDir,
		access:   flags.access(),
		append:   flags&OpenAppend != 0,
	}
	if flags&OpenCreate == 0 {
		return p.mount.open(p.rel, o)
	}
	// Others may create and remove the file in between, but not for ever.
	for range 8 {
		if flags&OpenExclusive == 0 {
			host, info, err := p.mount.open(p.rel, o)
			if err != fs.ErrNotExist {
				return host, info, err
			}
		}
		host, info, err := f.create(p, o)
		if flags&OpenExclusive != 0 || err != fs.ErrExist {
			return host, info, err
		}
		if info, err := p.mount.stat(p.rel, false, false); err == nil && info.Mode().Type() == fs.ModeSymlink {
			return nil, nil, ErrLoop
		}
	}
	return nil, nil, fs.ErrExist
}

// Stat describes a file, following a link to what it leads to.
func (v View) Stat(name string) (fs.FileInfo, error) { return v.stat("stat", name, true) }

// Lstat describes a file or the link itself.
func (v View) Lstat(name string) (fs.FileInfo, error) { return v.stat("lstat", name, false) }

func (v View) stat(op, name string, follow bool) (fs.FileInfo, error) {
	p, err := v.fs.resolve(v.at, name)
	if err != nil {
		return nil, pathError(op, p.guest, err)
	}
	if p.mount == nil {
		return p.dir.info, nil
	}
	info, err := p.mount.stat(p.rel, p.mustBeDir, follow)
	if err != nil {
		return nil, pathError(op, p.guest, err)
	}
	return namedInfo{info, path.Base(p.guest)}, nil
}

// Readlink returns the target of a link, slash-separated. It fails with
// ErrOutside when the target is absolute or leads out of the mount, and with
// fs.ErrInvalid when the file is no link.
func (v View) Readlink(name string) (string, error) {
	p, err := v.fs.resolve(v.at, name)
	if err == nil && (p.mount == nil || p.mustBeDir) {
		err = fs.ErrInvalid
	}
	if err != nil {
		return "", pathError("readlink", p.guest, err)
	}
	target, err := p.mount.readlink(p.rel)
	return target, pathError("readlink", p.guest, err)
}

// namedInfo is a FileInfo of the host under its guest name: that of a mount would
// tell a part of the host path.
type namedInfo struct {
	fs.FileInfo
	name string
}

func (i namedInfo) Name() string { return i.name }
