package files

import (
	"context"
	"io/fs"
	"path"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// batchDirectory is the directory of the current files of a worker, kept open between files. The
// zero value has no open directory.
type batchDirectory struct {
	mount *mount
	rel   string
	fd    int
	// device is the device number of the mount's file system.
	device uint64
}

func (f *batchDirectory) close() {
	if f.mount != nil {
		_ = unix.Close(f.fd) // opened only to find files, so an error has no effect
	}
	f.mount = nil
}

// enter opens the directory rel of a mount and reports whether it succeeded. The path must not
// contain a link.
func (f *batchDirectory) enter(m *mount, rel string) bool {
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
	*f = batchDirectory{mount: m, rel: rel, fd: fd, device: uint64(top.Dev)}
	return true
}

// find resolves a name, enters its directory and describes the file. ok is false for everything
// that is not a plain path in a mount; the caller then uses the slow path.
func (w *batchWorker) find(name string) (p place, base string, stat unix.Stat_t, ok bool) {
	p, err := w.fs.resolve("/", name)
	if err != nil || p.mount == nil || p.mustBeDir || p.rel == "." || p.mount.only != "" {
		return p, "", stat, false
	}
	dir, base := splitRel(p.rel)
	if !w.dir.enter(p.mount, dir) {
		return p, "", stat, false
	}
	// As in mount.open, check the type before opening, because opening a device can have an effect.
	err = unix.Fstatat(w.dir.fd, base, &stat, unix.AT_SYMLINK_NOFOLLOW)
	return p, base, stat, err == nil
}

// statPlain describes a file if the kernel finds it without following a link.
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

// readPlain reads a regular file in the mount's own file system that is reached without a link.
func (w *batchWorker) readPlain(ctx context.Context, name string, limit int, r *batchRoom) (Answer, bool) {
	p, base, stat, ok := w.find(name)
	if !ok || stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return Answer{}, false
	}
	if stat.Size > int64(limit) {
		a := plainAnswer(stat)
		a.Err = ErrOverSize
		return a, true
	}
	fd, err := unix.Openat(w.dir.fd, base, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_LARGEFILE|openFlags, 0)
	if err != nil {
		return Answer{}, false
	}
	defer unix.Close(fd)
	// The name may refer to another file by now. Check the opened file.
	err = unix.Fstat(fd, &stat)
	if err != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG || uint64(stat.Dev) != w.dir.device {
		return Answer{}, false
	}
	if !p.mount.scratch {
		w.fs.readPaths.Add(p.guest)
	}
	a := plainAnswer(stat)
	a.fill(ctx, limit, r, func(to []byte) (int, error) {
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

// splitRel splits a path below a mount into a directory and a name.
func splitRel(rel string) (dir, base string) {
	dir, base = path.Split(rel)
	if dir == "" {
		return ".", base
	}
	return dir[:len(dir)-1], base
}
