package hostfuncs

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openPlain opens a regular file or a directory for reading to which no link leads. The
// kernel walks the path, which takes a third of the time that package os needs to open each
// directory on the way, once to look and once to open. ok is false for all else, and where
// the kernel can't do so: nothing has happened then, and open finds out what it is.
func (m *mount) openPlain(rel string, o opening) (file *os.File, info fs.FileInfo, ok bool) {
	if o.access != os.O_RDONLY || o.append {
		return nil, nil, false
	}
	var opened int
	err := withFD(m.self, func(dir int) error {
		// As in open, look first.
		if err := lookPlain(dir, rel); err != nil {
			return err
		}
		var err error
		opened, err = openBeneath(dir, rel, o.hostFlags())
		return err
	})
	if err != nil {
		return nil, nil, false
	}
	file = os.NewFile(uintptr(opened), rel)
	if info, err = m.checkKind(file, o); err != nil {
		_ = file.Close()
		return nil, nil, false
	}
	return file, info, true
}

// lookPlain fails unless the path names a regular file or a directory.
func lookPlain(dir int, rel string) error {
	fd, err := openBeneath(dir, rel, unix.O_PATH)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFREG, unix.S_IFDIR:
		return nil
	}
	return fs.ErrPermission
}

// openBeneath opens what a path below the directory names, and follows no link, be it on
// the way or at the end.
func openBeneath(dir int, rel string, flags int) (int, error) {
	return unix.Openat2(dir, rel, &unix.OpenHow{
		Flags:   uint64(flags | unix.O_CLOEXEC | unix.O_LARGEFILE),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	})
}
