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
	// packedSuffix is what the name of a compressed module has in addition.
	packedSuffix = ".gz"
	// recordName is a file for the build alone.
	recordName = "BUILD.txt"
)

// toolFS shows the folder root of packed with the modules decompressed.
type toolFS struct {
	packed fs.FS
	root   string

	mu      sync.Mutex
	modules map[string]*module // by name in this file system
}

func newFS(packed fs.FS, root string) *toolFS {
	return &toolFS{packed: packed, root: root, modules: map[string]*module{}}
}

// Open opens the file or folder of that name. For a module this decompresses
// nothing yet.
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

// hidden reports whether a file of packed is not shown under its own name.
func hidden(base string) bool {
	return base == recordName || strings.HasSuffix(base, packedSuffix)
}

// plain returns f, the file of packed called name, or the view of it if it is
// a folder.
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
	return &folder{info: fileInfo{name: path.Base(name), mode: fs.ModeDir | 0o555}, entries: entries}, nil
}

// module returns the module that is shown as name.
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

// folder is an open folder.
type folder struct {
	info    fileInfo
	entries []fs.DirEntry
	next    int
}

func (f *folder) Stat() (fs.FileInfo, error) { return f.info, nil }

func (f *folder) Close() error { return nil }

func (f *folder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.info.Name(), Err: errors.New("is a folder")}
}

// ReadDir returns the next n entries, or all that are left if n <= 0.
func (f *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := f.entries[f.next:]
	if n > 0 && len(rest) == 0 {
		return nil, io.EOF
	}
	if n > 0 {
		rest = rest[:min(n, len(rest))]
	}
	f.next += len(rest)
	return slices.Clone(rest), nil
}
