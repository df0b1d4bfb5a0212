package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// hostPaths caches facts about host paths while one call is prepared, so that each path is looked
// up only once. Mounts and protected directories have many parent directories in common. The zero
// value is ready to use.
type hostPaths struct{ known map[string]fs.FileInfo }

// lstat returns the result of os.Lstat, from the cache if possible.
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

// plain returns the FileInfo of the directory at an absolute path and of all its parents, in that
// order. It returns false if any of them is not a directory, for example a link.
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

// directory returns the absolute path of a directory with all links resolved. It also returns the
// FileInfo of the directory and of all its parents, in that order.
func (p *hostPaths) directory(dir string) (resolved string, parents []fs.FileInfo, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, hostDirError(err)
	}
	if parents, ok := p.plain(abs); ok {
		return abs, parents, nil
	}
	if resolved, parents, err = followed(abs); err != nil {
		return "", nil, hostDirError(err)
	}
	if !parents[0].IsDir() {
		return "", nil, errors.New("the path is not a directory; name a directory")
	}
	return resolved, parents, nil
}

// nearest describes a directory or, if it does not exist, its nearest existing parent.
type nearest struct {
	parents []fs.FileInfo // of the directory and all its parents
	exists  bool          // the directory itself exists
	links   bool          // the path may contain links
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

// nearestByLinks is like hostPaths.nearest for a path that may contain links.
func nearestByLinks(abs string) (nearest, error) {
	for at := abs; ; at = filepath.Dir(at) {
		_, parents, err := followed(at)
		if errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		return nearest{parents, at == abs, true}, err
	}
}

// followed resolves all links of a path, and also returns the result of parentsOf.
func followed(path string) (resolved string, parents []fs.FileInfo, err error) {
	if resolved, err = filepath.EvalSymlinks(path); err == nil {
		parents, err = parentsOf(resolved)
	}
	return resolved, parents, err
}

// parentsOf returns the FileInfo of a directory and of all its parents, in that order.
func parentsOf(dir string) ([]fs.FileInfo, error) { return upwards(dir, os.Stat) }

// upwards calls stat for a path and all its parents, in that order.
func upwards(path string, stat func(string) (fs.FileInfo, error)) ([]fs.FileInfo, error) {
	parents := make([]fs.FileInfo, 0, 8)
	for {
		info, err := stat(path)
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

// maxHostLinks limits the links that a host path leads through, as operating systems do.
const maxHostLinks = 40

// linkHolders returns the directories that contain the links which a path leads through. Their own
// paths contain no links. The walk ends at the first name that does not exist.
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
		if err != nil { // not a link, or does not exist
			at = next
			continue
		}
		if holders = append(holders, at); len(holders) > maxHostLinks {
			return nil, errors.New("leads through too many links")
		}
		if filepath.IsAbs(target) {
			at, target = splitTop(target)
		}
		rest = append(elements(target), rest...)
	}
	return holders, nil
}

// splitTop splits an absolute path into its root, such as "/" or `C:\`, and the rest.
func splitTop(path string) (top, below string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), path[len(volume):]
}

// elements returns the names in a path, without empty names and ".".
func elements(path string) []string {
	var names []string
	for name := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if name != "" && name != "." {
			names = append(names, name)
		}
	}
	return names
}
