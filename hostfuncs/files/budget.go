package files

import (
	"cmp"
	"sync/atomic"
)

// Defaults of Options.
const (
	// DefaultMaxWritten is 256 MiB.
	DefaultMaxWritten = 256 << 20
	// DefaultMaxFileSize is 64 MiB.
	DefaultMaxFileSize = 64 << 20
	// DefaultMaxCreated is 10,000 files and directories.
	DefaultMaxCreated = 10_000
)

// budget holds the limits of a call and the amounts that the call has used.
type budget struct {
	maxWritten, maxFileSize, maxCreated int64

	written, created atomic.Int64
}

// newBudget returns the budget of the options.
func newBudget(o Options) budget {
	return budget{
		maxWritten:  cmp.Or(max(o.MaxWritten, 0), DefaultMaxWritten),
		maxFileSize: cmp.Or(max(o.MaxFileSize, 0), DefaultMaxFileSize),
		maxCreated:  int64(cmp.Or(max(o.MaxCreated, 0), DefaultMaxCreated)),
	}
}

// spend counts n bytes towards MaxWritten for a write of length bytes at the offset start. Neither
// start nor length may be negative. The caller must call refund for bytes that are then not
// written.
func (f *FS) spend(n, start, length int64) error {
	b := &f.budget
	switch {
	case length > b.maxFileSize || start > b.maxFileSize-length:
		return f.hitLimit("bytes of a file (%d)", b.maxFileSize)
	case b.written.Add(n) > b.maxWritten:
		f.refund(n)
		return f.hitLimit("bytes written (%d)", b.maxWritten)
	}
	return nil
}

func (f *FS) refund(n int64) { f.budget.written.Add(-n) }

// countCreated counts one created file. If the file is then not created, the caller must call
// uncountCreated.
func (f *FS) countCreated() error {
	if f.budget.created.Add(1) > f.budget.maxCreated {
		f.uncountCreated()
		return f.hitLimit("files created (%d)", f.budget.maxCreated)
	}
	return nil
}

func (f *FS) uncountCreated() { f.budget.created.Add(-1) }
