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
	"github.com/wasmtool/wasmtool/internal/each"
)

const (
	// DefaultMaxOpenFiles is the default of Options.MaxOpenFiles.
	DefaultMaxOpenFiles = 64

	// maxListing limits the entries that one ReadDir returns.
	maxListing = 1 << 16
	// maxListed limits the entries listed from all open directories. An engine may keep entries
	// until their directory is closed or rewound, so this also limits its memory.
	maxListed = 1 << 18
)

// Options limits an [FS]. The zero value means the defaults.
type Options struct {
	// MaxOpenFiles limits the files and directories open at once; 0 or less means
	// DefaultMaxOpenFiles.
	MaxOpenFiles int
	// MaxWritten limits the bytes that the call writes to all files together, including the growth
	// of files that are extended; 0 or less means DefaultMaxWritten. Removing files does not reduce
	// the count.
	MaxWritten int64
	// MaxFileSize limits the size of a file that the call writes, in bytes; 0 or less means
	// DefaultMaxFileSize. A file that is already larger can be written only below this size.
	MaxFileSize int64
	// MaxCreated limits the files and directories that the call creates, including those it removes
	// later; 0 or less means DefaultMaxCreated.
	MaxCreated int

	// ScratchIn is the host directory in which scratch directories are created; empty means
	// os.TempDir.
	ScratchIn string
	// Protected lists host directories, such as a cache of compiled code. A mount for writing must
	// not be, contain or lie in any of these directories. The directories need not exist yet.
	Protected []string
}

// FS is the file system that a guest sees during one call: a read-only root directory with the
// mounts at their guest paths. It keeps the mounted directories open, so a directory that is
// replaced on the host stays mounted. [New] creates an FS, which the caller must close after the
// call. It is safe for concurrent use.
type FS struct {
	mounts   []*mount
	writable bool // at least one mount is writable
	maxOpen  int
	budget   budget
	// Guest paths of files that were read, of files that were changed, and of directories that were
	// opened.
	readPaths, writtenPaths, directories noted.Names

	// changes is held while a file is created, renamed or removed, so that temps agrees with the
	// host's files. Other operations do not wait for it.
	changes sync.Mutex

	revoked atomic.Bool
	limit   atomic.Pointer[string]
	listed  atomic.Int64 // entries listed from open directories

	// What most calls never use is made at its first use.
	treeOnce sync.Once
	tree     map[string]*syntheticDir // by guest path; empty if a mount is at "/"

	mu        sync.Mutex
	open      map[*File]struct{}
	opening   int // slots reserved for files that are being opened
	changing  int // number of operations between begin and end
	temps     tempNames
	released  bool
	cleanedUp bool
	done      chan struct{} // closed after the clean-up
}

// New opens the directories of the grants. It fails with a [*MountError] if a directory does not
// exist, is not a directory, or must not be mounted: the host's root, its system directories and
// everything below them. It also fails in these cases:
//
//   - A guest path is not absolute and clean.
//   - One mount lies inside another in the guest.
//   - Two mounts share host files and differ in mode, or one has deny patterns.
//   - A deny pattern is invalid (see [ValidateDeny]).
//
// A grant of capability.ScratchMount creates an empty directory that only the user of this process
// can access. It must be for writing and have no Dir. If it is the only grant, the directory is
// created when the guest first names a path in it. If that fails, so does the access, and
// [FS.LimitHit] says why. Without grants the root directory is empty.
func New(grants []capability.GrantedFS, o Options) (*FS, error) {
	o.MaxOpenFiles = cmp.Or(max(o.MaxOpenFiles, 0), DefaultMaxOpenFiles)
	f := &FS{maxOpen: o.MaxOpenFiles, budget: newBudget(o)}
	var paths hostPaths
	for _, g := range grants {
		m, err := openMount(g, o, &paths, len(grants) == 1)
		if err != nil {
			_ = f.cleanUp() // close the mounts opened so far; err is more important
			return nil, err
		}
		f.mounts = append(f.mounts, m)
		f.writable = f.writable || m.writable
	}
	if err := checkTogether(f.mounts); err != nil {
		_ = f.cleanUp()
		return nil, err
	}
	return f, nil
}

// View returns the files below a guest path, which need not exist. A path without a leading slash
// is relative to the root.
func (f *FS) View(at string) View { return View{fs: f, at: path.Clean("/" + at)} }

// Revoke ends the access of the call immediately and does not block. Every operation on the FS or
// its Files that starts afterwards fails with fs.ErrClosed.
func (f *FS) Revoke() { f.revoked.Store(true) }

// Close revokes the FS and closes everything that it has open. An operation that is running in
// another goroutine completes normally. Close also removes the scratch directory and the temporary
// files that the call left (see TempPrefix). It waits at most 50 ms for the removal, which may take
// long in a large directory or when the host hangs; see [FS.Done]. It may be called more than once.
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

// Done returns a channel that is closed once the FS is closed and all leftovers of the call are
// removed. Wait for it before the process ends.
func (f *FS) Done() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done == nil {
		f.done = make(chan struct{})
		if f.cleanedUp {
			close(f.done)
		}
	}
	return f.done
}

// ReadPaths returns the guest paths of up to 200 files that were opened for reading. The result
// more says whether there were more than that. It omits files in scratch space.
func (f *FS) ReadPaths() (paths []string, more bool) { return f.readPaths.List() }

// WrittenPaths is like [FS.ReadPaths] for files that were opened for writing, created, moved or
// removed.
func (f *FS) WrittenPaths() (paths []string, more bool) { return f.writtenPaths.List() }

// DirectoryPaths is like [FS.ReadPaths] for directories that were opened, which lists them.
func (f *FS) DirectoryPaths() (paths []string, more bool) { return f.directories.List() }

// cleanUpGrace is how long Close waits for the clean-up.
const cleanUpGrace = 50 * time.Millisecond

// cleanUpFor cleans up, and waits at most the given time for the end. A longer clean-up continues
// in the background.
func (f *FS) cleanUpFor(wait time.Duration) error {
	if len(f.temps) == 0 && !f.hasScratch() {
		return f.cleanUp() // nothing to remove; cleanUp only closes the mounts
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

// ClosesAtOnce reports whether Close only has to close directories: no file is open and there is
// nothing to remove. The FS must not be used concurrently.
func (f *FS) ClosesAtOnce() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	// temps changes only while changing is not 0.
	return f.changing == 0 && len(f.temps) == 0 && len(f.open)+f.opening == 0 && !f.hasScratch()
}

// hasScratch reports whether there is a scratch directory to remove.
func (f *FS) hasScratch() bool {
	return slices.ContainsFunc(f.mounts, func(m *mount) bool { return m.scratch && (m.later == nil || m.later.made.Load()) })
}

// cleanUp removes temporary files and closes the mounts. It is called once, after the last change.
func (f *FS) cleanUp() error {
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.cleanedUp = true
		if f.done != nil {
			close(f.done)
		}
	}()
	f.temps.remove()
	errs := each.Of(f.mounts, (*mount).close)
	return errors.Join(errs...)
}

// begin must be called before a file is created, renamed or removed. If it returns nil, the caller
// must call end afterwards.
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
	if f.revoked.Load() { // revoked while this call waited
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
		_ = f.cleanUp() // Close has returned, so no caller can use the error
	}
}

// LimitHit describes the first limit that the guest exceeded, such as "open files (64)", or returns
// "".
func (f *FS) LimitHit() string {
	if hit := f.limit.Load(); hit != nil {
		return *hit
	}
	return ""
}

// hitLimit records the limit that was exceeded, and returns ErrLimit.
func (f *FS) hitLimit(format string, limit int64) error {
	f.limit.CompareAndSwap(nil, new(fmt.Sprintf(format, limit)))
	return ErrLimit
}

// reserve takes a slot for a file that is about to be opened. The caller must then call keep, which
// uses the slot, or cancel, which returns it.
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

// keep assigns a reserved slot to an open file. If the FS was closed in the meantime, Close did not
// see the file, so keep closes it.
func (f *FS) keep(file *File) error {
	f.mu.Lock()
	f.opening--
	released := f.released
	if !released {
		if f.open == nil {
			f.open = make(map[*File]struct{})
		}
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

// countListed adds n to the number of listed entries, and reports whether the sum is within the
// limit.
func (f *FS) countListed(n int) bool {
	if f.listed.Add(int64(n)) <= maxListed {
		return true
	}
	_ = f.hitLimit("directory entries (%d)", maxListed)
	return false
}
