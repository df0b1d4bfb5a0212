package files

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// syntheticDir is a directory that exists only for the guest: the root, or a directory between the
// root and a mount. It never changes.
type syntheticDir struct {
	info    fs.FileInfo
	entries []fs.DirEntry // sorted by name
}

// synthetic returns the synthetic directory at a guest path, or nil.
func (f *FS) synthetic(guest string) *syntheticDir {
	f.treeOnce.Do(func() { f.tree = newTree(f.mounts) })
	return f.tree[guest]
}

// newTree returns the synthetic directories by guest path. There are none if a mount is at "/".
func newTree(mounts []*mount) map[string]*syntheticDir {
	if len(mounts) == 1 && mounts[0].at == "/" {
		return nil
	}
	tree := map[string]*syntheticDir{"/": {info: syntheticInfo("/")}}
	for _, m := range mounts {
		for child := m.at; child != "/"; child = path.Dir(child) {
			parent := tree[path.Dir(child)]
			if parent == nil {
				parent = &syntheticDir{info: syntheticInfo(path.Base(path.Dir(child)))}
				tree[path.Dir(child)] = parent
			}
			entry := fs.FileInfoToDirEntry(syntheticInfo(path.Base(child)))
			at, found := slices.BinarySearchFunc(parent.entries, entry, func(a, b fs.DirEntry) int {
				return strings.Compare(a.Name(), b.Name())
			})
			if !found {
				parent.entries = slices.Insert(parent.entries, at, entry)
			}
		}
	}
	return tree
}

// syntheticInfo is the FileInfo of a synthetic directory with this name.
type syntheticInfo string

func (i syntheticInfo) Name() string     { return string(i) }
func (syntheticInfo) Size() int64        { return 0 }
func (syntheticInfo) Mode() fs.FileMode  { return fs.ModeDir | 0o555 }
func (syntheticInfo) ModTime() time.Time { return time.Unix(0, 0) }
func (syntheticInfo) IsDir() bool        { return true }
func (syntheticInfo) Sys() any           { return nil }

// openSyntheticDir is a syntheticDir with a position. Its methods work like the methods of an
// *os.File for a directory. It is safe for concurrent use.
type openSyntheticDir struct {
	dir *syntheticDir
	mu  sync.Mutex
	pos int
}

func (d *openSyntheticDir) Stat() (fs.FileInfo, error) { return d.dir.info, nil }

// ReadDir returns at most n of the remaining entries, or io.EOF if there are none. n must be
// greater than 0.
func (d *openSyntheticDir) ReadDir(n int) ([]fs.DirEntry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := d.dir.entries[d.pos:]
	if len(left) == 0 {
		return nil, io.EOF
	}
	left = left[:min(n, len(left))]
	d.pos += len(left)
	return left, nil
}

// Seek returns to the first entry, regardless of its arguments.
func (d *openSyntheticDir) Seek(int64, int) (int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pos = 0
	return 0, nil
}

func (d *openSyntheticDir) Close() error { return nil }
