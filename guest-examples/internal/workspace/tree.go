package workspace

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/guest/files"
)

// join returns the path of a name for package os.
func (d Dir) join(name string) string {
	if !path.IsAbs(name) {
		return d.path + "/" + name
	}
	m, _ := d.mountOf(name)
	return m.path + strings.TrimPrefix(name, m.at)
}

// many returns a directory, and the names relative to it.
func (d Dir) many(names []string) (files.Dir, []string) {
	if !slices.ContainsFunc(names, path.IsAbs) {
		return files.Dir(d.path), names
	}
	below := make([]string, len(names))
	for i, name := range names {
		below[i] = strings.TrimPrefix(d.join(name), "/")
	}
	return "/", below
}

func (d Dir) statMany(names []string, room []byte) ([]files.Answer, error) {
	dir, names := d.many(names)
	return dir.Stat(names, room)
}

func (d Dir) listMany(names []string, room []byte) ([]files.Answer, error) {
	dir, names := d.many(names)
	return dir.List(names, room)
}

func (d Dir) readMany(names []string, limit int, room []byte) ([]files.Answer, error) {
	dir, names := d.many(names)
	return dir.Read(names, limit, room)
}

func (d Dir) readSmall(name string) files.Answer { return d.read(name, smallFile, d.room) }

// Stat describes a file; it follows links.
func (d Dir) Stat(name string) (fs.FileInfo, error) { return os.Stat(d.join(name)) }

// Lstat describes a file; it does not follow links.
func (d Dir) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(d.join(name)) }

// ReadDir lists a directory.
func (d Dir) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(d.join(name)) }

// ReadFile returns the content of a file.
func (d Dir) ReadFile(name string) ([]byte, error) { return os.ReadFile(d.join(name)) }

// ReadLink returns the target of a link.
func (d Dir) ReadLink(name string) (string, error) { return os.Readlink(d.join(name)) }
