package files

import (
	"context"
	"io/fs"
	"path"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// batchFolder is the directory that the files of a worker lie in, held open from one to the
// next. The zero value is none.
type batchFolder struct {
	mount *mount
	rel   string
	fd    int
	// device is that of the mount.
	device uint64
}

func (f *batchFolder) close() {
	if f.mount != nil {
		_ = unix.Close(f.fd) // it was open to find files only
	}
	f.mount = nil
}

// enter makes f the directory rel of a mount, and reports whether that could be done: no
// link may lead there.
func (f *batchFolder) enter(m *mount, rel string) bool {
	if f.mount == m && f.rel == rel {
		return true
	}
	f.close()
	top, ok := m.info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	var fd int
	err := withFD(m.self, func(dir int) error {
		var err error
		fd, err = openBeneath(dir, rel, unix.O_PATH|unix.O_DIRECTORY)
		return err
	})
	if err != nil {
		return false
	}
	*f = batchFolder{mount: m, rel: rel, fd: fd, device: uint64(top.Dev)}
	return true
}

// find resolves a name, enters the directory that holds it and describes what is there. ok
// is false for all that is not a plain file of a mount; the slow way finds out what it is.
func (w *batchWorker) find(name string) (p place, base string, stat unix.Stat_t, ok bool) {
	p, err := w.fs.resolve("/", name)
	if err != nil || p.mount == nil || p.mustBeDir || p.rel == "." {
		return p, "", stat, false
	}
	dir, base := splitRel(p.rel)
	if !w.folder.enter(p.mount, dir) {
		return p, "", stat, false
	}
	// As in mount.open, look first: opening a device can do something to it.
	err = unix.Fstatat(w.folder.fd, base, &stat, unix.AT_SYMLINK_NOFOLLOW)
	return p, base, stat, err == nil
}

// statPlain describes a file, where the kernel finds it without following a link.
func (w *batchWorker) statPlain(name string) (Answer, bool) {
	_, _, stat, ok := w.find(name)
	return plainAnswer(stat), ok
}

func plainAnswer(stat unix.Stat_t) Answer {
	a := Answer{Size: stat.Size, ModTime: time.Unix(stat.Mtim.Unix())}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		a.Type = fs.ModeDir
	case unix.S_IFLNK:
		a.Type = fs.ModeSymlink
	default:
		a.Type = fs.ModeIrregular
	}
	return a
}

// readPlain reads a regular file of the mount's own file system, to which no link leads.
func (w *batchWorker) readPlain(ctx context.Context, name string, most int, r *batchRoom) (Answer, bool) {
	p, base, stat, ok := w.find(name)
	if !ok || stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return Answer{}, false
	}
	if stat.Size > int64(most) {
		a := plainAnswer(stat)
		a.Err = ErrOverSize
		return a, true
	}
	fd, err := unix.Openat(w.folder.fd, base, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_LARGEFILE|openFlags, 0)
	if err != nil {
		return Answer{}, false
	}
	defer unix.Close(fd)
	// The name may have changed since; what counts is what was opened.
	err = unix.Fstat(fd, &stat)
	if err != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG || uint64(stat.Dev) != w.folder.device {
		return Answer{}, false
	}
	if p.mount.scratch == "" {
		w.fs.readPaths.Add(p.guest)
	}
	a := plainAnswer(stat)
	a.fill(ctx, most, r, func(to []byte) (int, error) {
		if w.fs.revoked.Load() {
			return 0, fs.ErrClosed
		}
		for {
			n, err := unix.Read(fd, to[:min(len(to), maxRead)])
			if err == unix.EINTR {
				continue
			}
			return max(n, 0), guestError(err)
		}
	})
	return a, true
}

// splitRel splits a path below a mount into the directory and the name in it.
func splitRel(rel string) (dir, base string) {
	dir, base = path.Split(rel)
	if dir == "" {
		return ".", base
	}
	return dir[:len(dir)-1], base
}
