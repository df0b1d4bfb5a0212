package files

import (
	"io/fs"
	"path"
	"runtime"
	"strings"
	"unicode/utf8"
)

// Bounds on guest paths, those of common file systems. The depth keeps the walk
// through a mount with deny patterns, which opens every directory on the way,
// within reason.
const (
	maxPathBytes = 4096
	maxNameBytes = 255
	maxPathDepth = 128
)

// cleanPath reads a guest path relative to a view, where a leading slash means
// the view itself. It returns the path cleaned, without leading or trailing
// slashes and with no "." or ".." element, or "." for the view itself. mustBeDir
// tells that the path only fits a directory.
//
// Elements ".." are taken away by their text, as the callers of the adaptor do
// already; what then still leads upwards is refused and not clamped.
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
	depth := 0
	for elem := range strings.SplitSeq(rel, "/") {
		if depth++; depth > maxPathDepth || len(elem) > maxNameBytes {
			return "", false, ErrNameTooLong
		}
		if runtime.GOOS == "windows" && hasWindowsSyntax(elem) {
			return "", false, fs.ErrInvalid
		}
	}
	return rel, mustBeDir, nil
}

// hasWindowsSyntax reports whether Windows reads more into a name than a name: a
// backslash separates directories, and a colon names a drive or a second stream
// of a file.
func hasWindowsSyntax(name string) bool { return strings.ContainsAny(name, `\:`) }

// isWindowsAlias reports whether Windows may know a file with another name by
// this one: it drops dots and spaces at the end, and makes up short names such as
// GIT~1.
func isWindowsAlias(name string) bool {
	for i := range len(name) - 1 {
		if digit := name[i+1]; name[i] == '~' && '0' <= digit && digit <= '9' {
			return true
		}
	}
	return name != "." && (strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "))
}

// place is what a guest path names: a synthetic directory or a path in a mount.
type place struct {
	guest     string // the absolute guest path
	mustBeDir bool
	dir       *syntheticDir // nil in a mount
	mount     *mount        // nil for a synthetic directory
	rel       string        // the cleaned path below the mount, "." for the mount
}

// resolve is the one way from a guest path to a file: it reads the path, finds
// the mount, and refuses denied paths before anything touches the host. name is
// relative to the view at prefix.
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
			return p, nil
		}
	}
	if p.dir = f.tree[p.guest]; p.dir == nil {
		return p, fs.ErrNotExist
	}
	return p, nil
}

// resolveToChange is resolve for what would change something. In a place that is
// never written to it fails with ErrReadOnly, whatever is there.
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
		return p, ErrReadOnly // beside the mounts, where nothing can be created
	case err != nil:
		return p, err
	case p.mount == nil || !p.mount.writable:
		return p, ErrReadOnly
	}
	return p, nil
}

// below returns guest as a path relative to the mount at, "." for the mount
// itself, and whether it lies there. It compares whole elements, so that
// /data-evil is not below /data.
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
