package files

import (
	"io/fs"
	"path"
	"runtime"
	"strings"
	"unicode/utf8"
)

// Limits of guest paths, as in common file systems. The depth limits the walk through a mount with
// deny patterns, which opens every directory of the path.
const (
	maxPathBytes = 4096
	maxNameBytes = 255
	maxPathDepth = 128
)

// cleanPath reads a guest path relative to a view; a leading slash means the view itself. It
// returns the cleaned path without leading and trailing slashes and without "." and ".." elements,
// or "." for the view itself. mustBeDir reports that the path can only name a directory.
//
// It removes ".." elements lexically, as the callers in the WASI adaptor already do. A path that
// then still leads upwards is refused, not clamped.
func cleanPath(name string) (rel string, mustBeDir bool, err error) {
	switch {
	case name == "":
		return "", false, fs.ErrInvalid
	case len(name) > maxPathBytes:
		return "", false, ErrNameTooLong
	case strings.IndexByte(name, 0) >= 0, !utf8.ValidString(name):
		return "", false, fs.ErrInvalid
	}
	mustBeDir = strings.HasSuffix(name, "/") || strings.HasSuffix(name, "/.")
	rel = path.Clean(strings.TrimLeft(name, "/"))
	if rel == ".." || strings.HasPrefix(rel, "../") {
		return "", false, ErrOutside
	}
	if err := checkNames(rel); err != nil {
		return "", false, err
	}
	return rel, mustBeDir, nil
}

// checkNames refuses a path with a long name or too many names, and on Windows a name with special
// meaning.
func checkNames(rel string) error {
	depth := 0
	for elem := range strings.SplitSeq(rel, "/") {
		if depth++; depth > maxPathDepth || len(elem) > maxNameBytes {
			return ErrNameTooLong
		}
		if runtime.GOOS == "windows" && hasWindowsSyntax(elem) {
			return fs.ErrInvalid
		}
	}
	return nil
}

// hasWindowsSyntax reports whether name has a special meaning on Windows. A backslash separates
// directories, and a colon follows a drive or precedes an alternate data stream.
func hasWindowsSyntax(name string) bool { return strings.ContainsAny(name, `\:`) }

// isWindowsAlias reports whether Windows may use name for a file with another name. Windows drops
// trailing dots and spaces, and generates short names such as GIT~1.
func isWindowsAlias(name string) bool {
	for i := range len(name) - 1 {
		if digit := name[i+1]; name[i] == '~' && '0' <= digit && digit <= '9' {
			return true
		}
	}
	return name != "." && (strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "))
}

// place is the file or directory that a guest path names: a synthetic directory or a path in a
// mount.
type place struct {
	guest     string // absolute guest path
	mustBeDir bool
	dir       *syntheticDir // nil if the path lies in a mount
	mount     *mount        // nil for a synthetic directory
	rel       string        // cleaned path below the mount, or "." for the mount itself
}

// resolve is the only way from a guest path to a file. It checks the path, finds the mount, and
// refuses denied paths before any access to the host. name is relative to the view at prefix.
func (f *FS) resolve(prefix, name string) (place, error) {
	p := place{guest: name}
	if f.revoked.Load() {
		return p, fs.ErrClosed
	}
	rel, mustBeDir, err := cleanPath(name)
	if err != nil {
		return p, err
	}
	p.guest, p.mustBeDir = path.Join(prefix, rel), mustBeDir
	for _, m := range f.mounts {
		if below, ok := below(m.at, p.guest); ok {
			p.mount, p.rel = m, below
			if m.denies(below) {
				return p, fs.ErrPermission
			}
			return p, f.use(m)
		}
	}
	if p.dir = f.synthetic(p.guest); p.dir == nil {
		return p, fs.ErrNotExist
	}
	return p, nil
}

// use makes the directory of a scratch mount that is made when it is first used.
func (f *FS) use(m *mount) error {
	if m.later == nil {
		return nil
	}
	err := m.later.use()
	if err == nil || err == fs.ErrClosed {
		return err
	}
	f.limit.CompareAndSwap(nil, new("private directories: "+err.Error()))
	return ErrIO
}

// resolveToChange is like resolve for operations that change files. In a place that cannot be
// written it fails with ErrReadOnly, whether or not the path exists.
func (f *FS) resolveToChange(prefix, name string) (place, error) {
	if f.revoked.Load() {
		return place{guest: name}, fs.ErrClosed
	}
	if !f.writable {
		return place{guest: name}, ErrReadOnly
	}
	p, err := f.resolve(prefix, name)
	switch {
	case err == fs.ErrNotExist:
		return p, ErrReadOnly // outside the mounts, where no file can be created
	case err != nil:
		return p, err
	case p.mount == nil || !p.mount.writable:
		return p, ErrReadOnly
	}
	return p, nil
}

// below returns the path of guest relative to a mount at the guest path at, or "." for the mount
// itself. It reports whether guest is inside the mount. It compares whole elements: /data-evil is
// not below /data.
func below(at, guest string) (string, bool) {
	if at == guest {
		return ".", true
	}
	if at == "/" {
		return guest[1:], true
	}
	if rest, ok := strings.CutPrefix(guest, at); ok && rest[0] == '/' {
		return rest[1:], true
	}
	return "", false
}
