package remembered

import (
	"errors"
	"fmt"

	"github.com/wasmtool/wasmtool/internal/osreason"
)

// CorruptError reports a file with a line that is not a record. No record of the file is returned
// until the line is removed.
type CorruptError struct {
	// File is the name of the file in its directory.
	File string
	// Line counts from 1; 0 means the file as a whole.
	Line int
	// Why says what is wrong, without quoting the line.
	Why string
	// Holds is the participle that messages use for records, such as "approved".
	Holds string
}

// Error names the file, the line and the fix.
func (e *CorruptError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s; nothing is %s until the file is fixed", e.File, e.Why, e.Holds)
	}
	return fmt.Sprintf("%s, line %d: %s; delete the line; nothing is %s until then", e.File, e.Line, e.Why, e.Holds)
}

// UnsafeError reports that users other than the operator could write records.
type UnsafeError struct {
	// Store is the kind of records, such as "approvals".
	Store string
	// What is the unsafe object: "the directory", or the name of a file in it.
	What string
	// Why says what is wrong and how to fix it.
	Why string
}

// Error names what is unsafe and the fix.
func (e *UnsafeError) Error() string {
	return fmt.Sprintf("%s: %s %s", e.Store, e.What, e.Why)
}

// withoutPath wraps an error without host directories in its message. It returns nil for nil, and
// errors of this package unchanged.
func withoutPath(store, what string, err error) error {
	if err == nil {
		return nil
	}
	if unsafe, ok := errors.AsType[*UnsafeError](err); ok {
		return unsafe
	}
	reason, found := osreason.Of(err)
	if !found {
		reason = errors.New("the system refuses")
	}
	return fmt.Errorf("%s: %s: %w", store, what, reason)
}
