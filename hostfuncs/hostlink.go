package hostfuncs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

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
