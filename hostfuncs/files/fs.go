package files

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/internal/noted"
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
	// MaxWritten bounds what the call writes in all files together, in bytes, with
	// the growth of files made larger; 0 or less means DefaultMaxWritten. Removing
	// files gives nothing back.
	MaxWritten int64
	// MaxFileSize bounds the size to which the call brings a file, in bytes; 0 or
	// less means DefaultMaxFileSize. In a file that is larger already, only what
	// lies below can be written.
	MaxFileSize int64
	// MaxCreated bounds the files and directories that the call creates, removed
	// ones counted; 0 or less means DefaultMaxCreated.
	MaxCreated int

	// ScratchIn is the directory of the host that scratch directories are made in;
	// empty means os.TempDir.
	ScratchIn string
	// Protected are directories of the host that no mount for writing may be, hold
	// or lie in, such as a cache of compiled code; they need not exist yet.
	Protected []string
}

// FS is the file system that a guest sees during one call: a read-only root
// directory that holds the mounts at their guest paths. It holds the mounted
// directories open, so replacing one on the host changes nothing. Close it when
// the call is over. It is safe for concurrent use.
type FS struct {
	mounts   []*mount
	tree     map[string]*syntheticDir // by guest path; empty with a mount at "/"
	writable bool                     // some mount is
	maxOpen  int
	budget   budget
	// Guest paths of what was read, and of what was changed.
	readPaths, writtenPaths noted.Names

	// changes is held while something is created, renamed or removed, so that what
	// is noted in temps is what happened. Nothing else waits for it.
	changes sync.Mutex

	revoked atomic.Bool
	limit   atomic.Pointer[string]
	listed  atomic.Int64 // entries listed from directories that are open

	mu       sync.Mutex
	open     map[*File]struct{}
	opening  int // slots taken by files that are being opened
	changing int // operations between begin and end
	temps    tempNames
	released bool
	done     chan struct{} // closed after the clean-up
}

// New opens the directories behind the grants. It fails with a *MountError when
// a directory does not exist, is not a directory, or may not be mounted: the
// root of the host, its system directories and anything below those. It fails
// too when a guest path is not absolute and clean, when one mount lies inside
// another in the guest, when two mounts share host files and differ in mode or
// have deny patterns, and when a deny pattern is not valid (see ValidateDeny).
//
// A grant of capability.ScratchMount makes an empty directory that only the user
// of this process can enter; it must be for writing and name no directory. No
// grants make an empty root directory.
func New(grants []capability.GrantedFS, o Options) (*FS, error) {
	o.MaxOpenFiles = cmp.Or(max(o.MaxOpenFiles, 0), DefaultMaxOpenFiles)
	f := &FS{maxOpen: o.MaxOpenFiles, budget: newBudget(o), open: make(map[*File]struct{}), temps: make(tempNames), done: make(chan struct{})}
	var paths hostPaths
	for _, g := range grants {
		m, err := openMount(g, o, &paths)
		if err != nil {
			_ = f.cleanUp() // the mounts opened so far; err says more
			return nil, err
		}
		f.mounts = append(f.mounts, m)
		f.writable = f.writable || m.writable
	}
	if err := checkTogether(f.mounts); err != nil {
		_ = f.cleanUp()
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
// meanwhile in another goroutine ends as it would have. It removes the scratch
// directory and the temporary files that the call left (see TempPrefix). Close
// waits 50 ms for that and no longer, so that a guest that left much to remove, or
// an operation that hangs in the host, holds up nobody; see Done. It may be called
// more than once.
func (f *FS) Close() error {
	f.Revoke()
	f.mu.Lock()
	released, files, changing := f.released, f.open, f.changing > 0
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
	if !changing {
		failed = f.cleanUpFor(cleanUpGrace) != nil || failed
	}
	if failed {
		return fmt.Errorf("close the files of a call: %w", ErrIO)
	}
	return nil
}

// Done returns a channel that is closed when the FS was closed and all that the
// call left behind is removed. Wait for it before the process ends.
func (f *FS) Done() <-chan struct{} { return f.done }

// ReadPaths returns the guest paths of the files that were opened for reading, up to 200,
// and whether there were more. Files in scratch space are left out.
func (f *FS) ReadPaths() (paths []string, more bool) { return f.readPaths.List() }

// WrittenPaths is ReadPaths for what was opened for writing, made, moved or removed.
func (f *FS) WrittenPaths() (paths []string, more bool) { return f.writtenPaths.List() }

// cleanUpGrace is how long Close waits for the clean-up.
const cleanUpGrace = 50 * time.Millisecond

// cleanUpFor cleans up and waits for that as long as told; what takes longer goes
// on behind.
func (f *FS) cleanUpFor(wait time.Duration) error {
	if len(f.temps) == 0 && !f.hasScratch() {
		return f.cleanUp() // which only closes what is open
	}
	result := make(chan error, 1)
	go func() { result <- f.cleanUp() }()
	select {
	case err := <-result:
		return err
	case <-time.After(wait):
		return nil
	}
}

// ClosesAtOnce reports whether Close has nothing to do but close directories: no file is
// open and nothing is to be removed. Nobody may use the FS meanwhile.
func (f *FS) ClosesAtOnce() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	// While nothing changes, nobody writes to temps.
	return f.changing == 0 && len(f.temps) == 0 && len(f.open)+f.opening == 0 && !f.hasScratch()
}

func (f *FS) hasScratch() bool {
	return slices.ContainsFunc(f.mounts, func(m *mount) bool { return m.scratch != "" })
}

// cleanUp is what is done last, once: the mounts are left as they are to be, and
// closed.
func (f *FS) cleanUp() error {
	defer close(f.done)
	f.temps.remove()
	var errs []error
	for _, m := range f.mounts {
		errs = append(errs, m.close())
	}
	return errors.Join(errs...)
}

// begin must be called before something is created, renamed or removed, and end
// after it if err is nil.
func (f *FS) begin() error {
	f.mu.Lock()
	released := f.released
	if !released {
		f.changing++
	}
	f.mu.Unlock()
	if released {
		return fs.ErrClosed
	}
	f.changes.Lock()
	if f.revoked.Load() { // while it waited
		f.end()
		return fs.ErrClosed
	}
	return nil
}

func (f *FS) end() {
	f.changes.Unlock()
	f.mu.Lock()
	f.changing--
	last := f.released && f.changing == 0
	f.mu.Unlock()
	if last {
		_ = f.cleanUp() // Close has returned, and nobody is left to be told
	}
}

// LimitHit returns in words which limit the guest ran into, such as "open files
// (64)", or "" for none. The first one stays.
func (f *FS) LimitHit() string {
	if hit := f.limit.Load(); hit != nil {
		return *hit
	}
	return ""
}

// hitLimit notes which limit was hit, and returns ErrLimit.
func (f *FS) hitLimit(format string, limit int64) error {
	hit := fmt.Sprintf(format, limit)
	f.limit.CompareAndSwap(nil, &hit)
	return ErrLimit
}

// reserve takes a slot for a file to open. The slot must be given to keep or back
// to cancel.
func (f *FS) reserve() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.open)+f.opening >= f.maxOpen {
		_ = f.hitLimit("open files (%d)", int64(f.maxOpen))
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
	_ = f.hitLimit("directory entries (%d)", maxListed)
	return false
}
