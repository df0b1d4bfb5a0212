package approvals

import (
	"errors"

	"github.com/wasmtool/wasmtool/internal/recordfile"
)

// File is a Store in a directory of the operator's: JSON, a line for each approval.
// The file is read at every Find, so what another process remembers or revokes counts
// at once. Writing locks out other processes and replaces the file as a whole. A File
// is safe for concurrent use; Close it when done.
type File struct {
	store
	file *recordfile.File[Approval]
}

var _ Store = (*File)(nil)

// Open opens the store in a directory, which it creates for the operator alone where
// there is none. On systems with Unix permissions a directory or file that belongs to
// somebody else, or that others may write or read, gives an *UnsafeError.
func Open(dir string, o Options) (*File, error) {
	records, err := recordfile.Open(dir, recordfile.Kind[Approval]{Name: "approvals", Holds: "approved", Check: checkRecord})
	if err != nil {
		return nil, err
	}
	return &File{newStore(records, o), records}, nil
}

// checkRecord says what is wrong with an approval as it is written.
func checkRecord(a Approval) error {
	if err := a.validate(); err != nil {
		return err
	}
	if a.Created.IsZero() || a.ID != a.identify() {
		return errors.New("its ID or time is not the one that was written")
	}
	return nil
}

// Close frees the directory. Later use gives errors.
func (f *File) Close() error { return f.file.Close() }
