package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// hostPaths describes paths of the host while one call is prepared, each of them once: those
// of mounts, and of what is protected from them, have much in common. The zero value is ready.
type hostPaths struct{ known map[string]fs.FileInfo }

// lstat is os.Lstat, or what it said before.
func (p *hostPaths) lstat(path string) (fs.FileInfo, error) {
	if info := p.known[path]; info != nil {
		return info, nil
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if p.known == nil {
		p.known = make(map[string]fs.FileInfo)
	}
	p.known[path] = info
	return info, nil
}

// plain describes the directory at an absolute path and all above it, that one first, if all of
// them are directories: then no link leads there.
func (p *hostPaths) plain(dir string) ([]fs.FileInfo, bool) {
	parents, err := upwards(dir, func(path string) (fs.FileInfo, error) {
		info, err := p.lstat(path)
		if err == nil && !info.IsDir() {
			err = ErrNotDir
		}
		return info, err
	})
	return parents, err == nil
}

// directory returns the absolute path of a directory with all links resolved, and describes it
// and all above it, that one first.
func (p *hostPaths) directory(dir string) (real string, parents []fs.FileInfo, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, hostDirError(err)
	}
	if parents, ok := p.plain(abs); ok {
		return abs, parents, nil
	}
	if real, parents, err = followed(abs); err != nil {
		return "", nil, hostDirError(err)
	}
	if !parents[0].IsDir() {
		return "", nil, errors.New("is not a directory; name one")
	}
	return real, parents, nil
}

// nearest is a directory, or the nearest above one that is not there.
type nearest struct {
	parents []fs.FileInfo // of it and all above it
	there   bool          // it is the directory itself
	links   bool          // links may lead there
}

func (p *hostPaths) nearest(dir string) (nearest, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nearest{}, err
	}
	for at := abs; ; at = filepath.Dir(at) {
		if parents, ok := p.plain(at); ok {
			return nearest{parents, at == abs, false}, nil
		}
		if _, err := p.lstat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return nearestByLinks(abs)
		}
	}
}

// nearestByLinks is nearest for a path that may have links.
func nearestByLinks(abs string) (nearest, error) {
	for at := abs; ; at = filepath.Dir(at) {
		_, parents, err := followed(at)
		if errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		return nearest{parents, at == abs, true}, err
	}
}

// followed is a path with all links resolved, with what parentsOf says of that.
func followed(path string) (real string, parents []fs.FileInfo, err error) {
	if real, err = filepath.EvalSymlinks(path); err == nil {
		parents, err = parentsOf(real)
	}
	return real, parents, err
}

// parentsOf describes a directory and all above it, that one first.
func parentsOf(dir string) ([]fs.FileInfo, error) { return upwards(dir, os.Stat) }

// upwards describes by look a path and all above it, that one first.
func upwards(path string, look func(string) (fs.FileInfo, error)) ([]fs.FileInfo, error) {
	parents := make([]fs.FileInfo, 0, 8)
	for {
		info, err := look(path)
		if err != nil {
			return nil, err
		}
		parents = append(parents, info)
		up := filepath.Dir(path)
		if up == path {
			return parents, nil
		}
		path = up
	}
}

// maxHostLinks bounds the links on the way to a directory of the host, as systems do.
const maxHostLinks = 40

// linkHolders returns the directories, without links in their names, that hold the links on
// the way to a path. The way ends where nothing is yet.
func linkHolders(path string) ([]string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	var holders []string
	at, below := splitTop(path)
	rest := elements(below)
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		target, err := os.Readlink(next)
		if err != nil { // it is no link, or not there
			at = next
			continue
		}
		if holders = append(holders, at); len(holders) > maxHostLinks {
			return nil, errors.New("has too many links on its way")
		}
		if filepath.IsAbs(target) {
			at, target = splitTop(target)
		}
		rest = append(elements(target), rest...)
	}
	return holders, nil
}

// splitTop splits an absolute path into its root, such as "/" or `C:\`, and what is below.
func splitTop(path string) (top, below string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), path[len(volume):]
}

// elements are the names of a path, without those that say nothing.
func elements(path string) []string {
	var names []string
	for name := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if name != "" && name != "." {
			names = append(names, name)
		}
	}
	return names
}
