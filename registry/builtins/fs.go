package builtins

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

const (
	// packedSuffix is the suffix of compressed modules.
	packedSuffix = ".gz"
	// recordName is the name of a file that only the build uses.
	recordName = "BUILD.txt"
)

// toolFS is a view of the directory root of packed, in which modules are decompressed.
type toolFS struct {
	packed fs.FS
	root   string

	mu      sync.Mutex
	modules map[string]*module // keyed by the name in this file system
}

func newFS(packed fs.FS, root string) *toolFS {
	return &toolFS{packed: packed, root: root, modules: map[string]*module{}}
}

// Open opens a file or a directory. Opening a module does not decompress it.
func (t *toolFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if !hidden(path.Base(name)) {
		f, err := t.packed.Open(path.Join(t.root, name))
		if err == nil {
			return t.plain(name, f)
		}
		m, err := t.module(name)
		if err == nil {
			return &moduleFile{module: m}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// hidden reports whether toolFS omits or renames the files of packed that have this base name.
func hidden(base string) bool {
	return base == recordName || strings.HasSuffix(base, packedSuffix)
}

// plain returns what toolFS shows for the file f, which was opened in packed under this name. For a
// directory, it returns a directory without the hidden files. Otherwise it returns f itself.
func (t *toolFS) plain(name string, f fs.File) (fs.File, error) {
	info, err := f.Stat()
	if err != nil || !info.IsDir() {
		return f, err
	}
	defer f.Close()
	packed, err := fs.ReadDir(t.packed, path.Join(t.root, name))
	if err != nil {
		return nil, err
	}
	var entries []fs.DirEntry
	for _, entry := range packed {
		unpackedName, isModule := strings.CutSuffix(entry.Name(), packedSuffix)
		if isModule {
			m, err := t.module(path.Join(name, unpackedName))
			if err != nil {
				return nil, &fs.PathError{Op: "readdir", Path: name, Err: err}
			}
			entry = fs.FileInfoToDirEntry(m)
		} else if hidden(entry.Name()) {
			continue
		}
		entries = append(entries, entry)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return &directory{info: fileInfo{name: path.Base(name), mode: fs.ModeDir | 0o555}, entries: entries}, nil
}

// module returns the module that toolFS shows under this name.
func (t *toolFS) module(name string) (*module, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if m := t.modules[name]; m != nil {
		return m, nil
	}
	m, err := newModule(path.Base(name), t.packed, path.Join(t.root, name+packedSuffix))
	if err != nil {
		return nil, err
	}
	t.modules[name] = m
	return m, nil
}

// directory is an open directory.
type directory struct {
	info    fileInfo
	entries []fs.DirEntry
	next    int
}

func (d *directory) Stat() (fs.FileInfo, error) { return d.info, nil }

func (d *directory) Close() error { return nil }

func (d *directory) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.Name(), Err: errors.New("is a directory")}
}

// ReadDir returns the next n entries, or all remaining entries if n <= 0.
func (d *directory) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := d.entries[d.next:]
	if n > 0 && len(rest) == 0 {
		return nil, io.EOF
	}
	if n > 0 {
		rest = rest[:min(n, len(rest))]
	}
	d.next += len(rest)
	return slices.Clone(rest), nil
}
