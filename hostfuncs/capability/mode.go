package capability

import "fmt"

// Mode says what may be done below a mount or in a store. The zero value is no access.
type Mode uint8

// The modes, each including the ones before it.
const (
	ModeNone Mode = iota
	ModeRead
	ModeWrite
)

// String returns "none", "read" or "write".
func (m Mode) String() string {
	switch m {
	case ModeNone:
		return "none"
	case ModeRead:
		return "read"
	case ModeWrite:
		return "write"
	}
	return fmt.Sprintf("mode(%d)", uint8(m))
}
