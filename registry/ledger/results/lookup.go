package results

import (
	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/registry/internal/reference"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// handlePrefix is the beginning of every handle.
const handlePrefix = "result_"

var handle = lazyregexp.New(`^` + handlePrefix + `[A-Z2-7]{26}$`)

// Lookup returns the text for an argument of the form "${HANDLE}". It returns false if name does
// not have the form of a handle. It fails with an *Error with the code invalid_argument if the
// owner has no text with this handle.
func (s *Store) Lookup(owner Owner, name string) (text string, found bool, err error) {
	if !handle.MatchString(name) {
		return "", false, nil
	}
	text, err = s.Text(owner, name)
	if err != nil {
		return "", true, reference.Invalid(tool.ViolationConstraint, err.Error())
	}
	return text, true, nil
}
