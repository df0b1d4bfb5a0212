package hostfuncs

import (
	"fmt"
	"io/fs"
	"path"
	"sync"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

const (
	// DefaultMaxOpenFiles is how many files and directories a call may have open
	// at once unless told otherwise.
	DefaultMaxOpenFiles = 64

	// maxListing bounds the entries that one ReadDir returns.
	maxListing = 1 << 16
	// maxListed bounds the entries listed from all directories that are open. An
	// engine may keep what it was given until the directory is closed or rewound,
	// so this is what bounds its memory.
	maxListed = 1 << 18
)

// Options bounds an FS. The zero value means the defaults.
type Options struct {
	// MaxOpenFiles bounds the files and directories open at once; 0 or less means
	// DefaultMaxOpenFiles.
	MaxOpenFiles int
}

// FS is the file system that a guest sees during one call: a read-only root
// directory that holds the mounts at their guest paths. It holds the mounted
// directories open, so replacing one on the host changes nothing. Close it when
// the call is over. It is safe for concurrent use.
type FS struct {
	mounts  []*mount
	tree    map[string]*syntheticDir // by guest path; empty with a mount at "/"
	maxOpen int

	revoked atomic.Bool
	limit   atomic.Pointer[string]
	listed  atomic.Int64 // entries listed from directories that are open

	mu       sync.Mutex
	open     map[*File]struct{}
	opening  int // slots taken by files that are being opened
	released bool
}

// NewFS opens the directories behind the grants. It fails with a *MountError when
// a directory does not exist, is not a directory, or may not be mounted: the
// root of the host, its system directories and anything below those. It fails
// too when a guest path is not absolute and clean, when one mount lies inside
// another in the guest, when two mounts share host files and one has deny
// patterns, and when a deny pattern is not valid (see ValidateDeny).
//
// No grants make an empty root directory.
func NewFS(grants []capability.GrantedFS, o Options) (*FS, error) {
	if o.MaxOpenFiles <= 0 {
		o.MaxOpenFiles = DefaultMaxOpenFiles
	}
	f := &FS{maxOpen: o.MaxOpenFiles, open: make(map[*File]struct{})}
	for _, g := range grants {
		m, err := openMount(g)
		if err != nil {
			_ = f.Close() // the roots opened so far; err says more
			return nil, err
		}
		f.mounts = append(f.mounts, m)
	}
	if err := checkTogether(f.mounts); err != nil {
		_ = f.Close()
		return nil, err
	}
	f.tree = newTree(f.mounts)
	return f, nil
}

// View returns the files below a guest path, which need not exist. Without a
// leading slash it is taken from the root.
func (f *FS) View(at string) View { return View{fs: f, at: path.Clean("/" + at)} }

// Revoke ends the call's reach at once and does not block: every operation that
// starts afterwards, on the FS or a File of it, fails with fs.ErrClosed.
func (f *FS) Revoke() { f.revoked.Store(true) }

// Close revokes the FS and closes everything it has open; an operation that runs
// meanwhile in another goroutine ends as it would have. It may be called more
// than once.
func (f *FS) Close() error {
	f.Revoke()
	f.mu.Lock()
	released, files := f.released, f.open
	f.released, f.open = true, nil
	f.mu.Unlock()
	if released {
		return nil
	}
	var failed bool
	for file := range files {
		if err := file.close(); err != nil && err != fs.ErrClosed {
			failed = true
		}
	}
	for _, m := range f.mounts {
		failed = m.root.Close() != nil || failed
	}
	if failed {
		return fmt.Errorf("close the files of a call: %w", ErrIO)
	}
	return nil
}

// LimitHit returns in words which limit the guest ran into, such as "open files
// (64)", or "" for none. The first one stays.
func (f *FS) LimitHit() string {
	if hit := f.limit.Load(); hit != nil {
		return *hit
	}
	return ""
}

func (f *FS) hitLimit(format string, limit int) {
	hit := fmt.Sprintf(format, limit)
	f.limit.CompareAndSwap(nil, &hit)
}

// reserve takes a slot for a file to open. The slot must be given to keep or back
// to cancel.
func (f *FS) reserve() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.open)+f.opening >= f.maxOpen {
		f.hitLimit("open files (%d)", f.maxOpen)
		return ErrTooManyOpen
	}
	f.opening++
	return nil
}

func (f *FS) cancel() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opening--
}

// keep gives a reserved slot to an open file. When the FS was closed meanwhile it
// closes the file, which nothing else would.
func (f *FS) keep(file *File) error {
	f.mu.Lock()
	f.opening--
	released := f.released
	if !released {
		f.open[file] = struct{}{}
	}
	f.mu.Unlock()
	if released {
		_ = file.close()
		return fs.ErrClosed
	}
	return nil
}

func (f *FS) forget(file *File) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.open, file)
}

// countListed adds n entries to those listed and reports whether that is within
// the bound.
func (f *FS) countListed(n int) bool {
	if f.listed.Add(int64(n)) <= maxListed {
		return true
	}
	f.hitLimit("directory entries (%d)", maxListed)
	return false
}
