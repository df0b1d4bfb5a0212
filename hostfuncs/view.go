package hostfuncs

import (
	"io/fs"
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
type OpenFlags uint8

const (
	// OpenDirectory refuses a file.
	OpenDirectory OpenFlags = 1 << iota
	// OpenNoFollow refuses a link at the end of the path.
	OpenNoFollow
	// OpenChange stands for any intent to create, truncate, append or write. It is
	// refused.
	OpenChange
)

// Open opens a regular file or a directory for reading. It never blocks on what
// the path names. The caller must Close the File; FS.Close does so too.
//
// Errors: ErrReadOnly for any flag but OpenDirectory and OpenNoFollow;
// fs.ErrPermission for a denied path, whether or not it exists, and for anything
// that is no regular file or directory; ErrOutside for a link that leads out of
// the mount; ErrTooManyOpen at the limit; and those of the host.
func (v View) Open(name string, flags OpenFlags) (*File, error) {
	file, guest, err := v.open(name, flags)
	if err != nil {
		return nil, pathError("open", guest, err)
	}
	return file, nil
}

func (v View) open(name string, flags OpenFlags) (*File, string, error) {
	if flags&^(OpenDirectory|OpenNoFollow) != 0 {
		return nil, name, ErrReadOnly
	}
	p, err := v.fs.resolve(v.at, name)
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
	file := &File{fs: f, place: p}
	if p.mount == nil {
		file.dir = &openSyntheticDir{dir: p.dir}
		return file, nil
	}
	// As everywhere, a slash at the end asks for what a link leads to.
	noFollow := flags&OpenNoFollow != 0 && !p.mustBeDir
	host, info, err := p.mount.open(p.rel, p.mustBeDir || flags&OpenDirectory != 0, noFollow)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		file.dir = host
	} else {
		file.regular = host
	}
	return file, nil
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
	if err != nil {
		return "", pathError("readlink", p.guest, err)
	}
	return target, nil
}

// namedInfo is a FileInfo of the host under its guest name: that of a mount would
// tell a part of the host path.
type namedInfo struct {
	fs.FileInfo
	name string
}

func (i namedInfo) Name() string { return i.name }
