package results

import (
	"regexp"

	"github.com/wasmtool/wasmtool/registry/internal/reference"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// handlePrefix begins each handle.
const handlePrefix = "result_"

var handle = regexp.MustCompile(`^` + handlePrefix + `[A-Z2-7]{26}$`)

// Lookup returns the text that an argument of the form "${HANDLE}" stands for. It is false
// for a name that is no handle. The error is an *Error of the code invalid_argument, for a
// handle that the owner does not have.
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
