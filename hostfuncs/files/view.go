package files

import (
	"io/fs"
	"os"
	"path"
)

// View is the part of an [FS] below one guest path. Its methods take a path relative to the view; a
// leading slash means the view itself. A path that leads out of the view fails with ErrOutside. A
// view of a guest path that does not exist finds no files. It is safe for concurrent use. The zero
// value is not usable.
type View struct {
	fs *FS
	at string
}

// Place is the kind of place that a guest path names.
type Place int

const (
	// PlaceMount is a place in a mount, or a path that the file system does not accept.
	PlaceMount Place = iota
	// PlaceSynthetic is a directory that exists only for the guest: the root, or a directory
	// between the root and a mount.
	PlaceSynthetic
	// PlaceNone is a place where no mount is. Nothing exists there.
	PlaceNone
)

// Place returns the kind of place that a path names. It depends only on the path and the guest
// paths of the mounts: no file of the host is touched.
func (v View) Place(name string) Place {
	rel, _, err := cleanPath(name)
	if err != nil {
		return PlaceMount
	}
	guest := path.Join(v.at, rel)
	for _, m := range v.fs.mounts {
		if _, inside := below(m.at, guest); inside {
			return PlaceMount
		}
	}
	if v.fs.synthetic(guest) != nil {
		return PlaceSynthetic
	}
	return PlaceNone
}

// OpenFlags specifies how a file is opened. The zero value opens a file or directory for reading
// and follows links.
type OpenFlags uint16

const (
	// OpenDirectory fails unless the path names a directory.
	OpenDirectory OpenFlags = 1 << iota
	// OpenNoFollow fails if the last element of the path is a link.
	OpenNoFollow
	// OpenWrite opens a regular file for reading and writing.
	OpenWrite
	// OpenNoRead, with OpenWrite, opens the file for writing only.
	OpenNoRead
	// OpenCreate creates the file if it does not exist, even if it is opened for reading. It never
	// creates the target of a link.
	OpenCreate
	// OpenExclusive, with OpenCreate, fails with fs.ErrExist if the name exists.
	OpenExclusive
	// OpenTruncate, with OpenWrite, truncates the file.
	OpenTruncate
	// OpenAppend makes every Write append to the current end of the file.
	OpenAppend
	// OpenOther stands for flags that are not supported. It is refused.
	OpenOther
)

// readFlags are the flags that do not change files.
const readFlags = OpenDirectory | OpenNoFollow

// valid reports whether the combination of flags is meaningful.
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

// access returns the access mode for the host.
func (flags OpenFlags) access() int {
	switch {
	case flags&OpenWrite == 0:
		return os.O_RDONLY
	case flags&OpenNoRead != 0:
		return os.O_WRONLY
	}
	return os.O_RDWR
}

// Open opens a regular file or a directory, and can create or truncate a file. It never blocks on
// the file that the path names. The caller must close the File; [FS.Close] closes it too. The mode
// of a new file is 0666, less the umask of this process.
//
// Errors:
//
//   - ErrReadOnly for any flag except OpenDirectory and OpenNoFollow in a place that cannot be
//     written
//   - fs.ErrPermission for a denied path or a link to one, whether or not it exists; for anything
//     but a regular file or directory; and for writing to a setuid or setgid file
//   - fs.ErrPermission for a path that contains a link, in a mount with deny patterns and for any
//     flag except OpenDirectory and OpenNoFollow
//   - ErrIsDir for writing to a directory
//   - fs.ErrExist, see OpenExclusive
//   - ErrOutside for a link that leads out of the mount or has an absolute target
//   - ErrLoop for creating through a link
//   - fs.ErrInvalid for a meaningless combination of flags
//   - ErrLimit if the call may not create another file
//   - ErrTooManyOpen if the call may not open another file
//   - errors of the host
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
	host, info, resolved, err := f.openHost(p, flags)
	if err != nil {
		return nil, err
	}
	file.resolved = resolved
	if info.IsDir() {
		file.dir = host
		if !p.mount.scratch {
			f.directories.Add(p.guest)
		}
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
	if flags&OpenNoRead == 0 && !p.mount.scratch {
		f.readPaths.Add(p.guest)
	}
	return file, nil
}

// openHost opens an existing file or creates one. It never passes O_CREATE when it opens an
// existing name, because that would create the target of a link. For the result resolved see
// mount.open.
func (f *FS) openHost(p place, flags OpenFlags) (host *os.File, info fs.FileInfo, resolved string, err error) {
	o := opening{
		mustBeDir: p.mustBeDir || flags&OpenDirectory != 0,
		// As elsewhere, a trailing slash means the target of a link.
		noFollow: flags&OpenNoFollow != 0 && !p.mustBeDir,
		reads:    flags&^readFlags == 0,
		access:   flags.access(),
		append:   flags&OpenAppend != 0,
	}
	if flags&OpenCreate == 0 {
		return p.mount.open(p.rel, o)
	}
	// Other processes may create and remove the file in between. Retry a few times only.
	for range 8 {
		if flags&OpenExclusive == 0 {
			host, info, resolved, err := p.mount.open(p.rel, o)
			if err != fs.ErrNotExist {
				return host, info, resolved, err
			}
		}
		host, info, err := f.create(p, o)
		if flags&OpenExclusive != 0 || err != fs.ErrExist {
			return host, info, p.rel, err
		}
		if info, err := p.mount.stat(p.rel, false, false); err == nil && info.Mode().Type() == fs.ModeSymlink {
			return nil, nil, "", ErrLoop
		}
	}
	return nil, nil, "", fs.ErrExist
}

// Stat describes a file, following links.
func (v View) Stat(name string) (fs.FileInfo, error) { return v.stat("stat", name, true) }

// Lstat describes a file without following a link at the end of the path.
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

// Readlink returns the target of a link, slash-separated. It fails with ErrOutside if the target is
// absolute or leads out of the mount, and with fs.ErrInvalid if the file is not a link.
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

// namedInfo is a FileInfo of the host with the guest's name. The host name of a mounted directory
// would reveal a part of the host path.
type namedInfo struct {
	fs.FileInfo
	name string
}

func (i namedInfo) Name() string { return i.name }
