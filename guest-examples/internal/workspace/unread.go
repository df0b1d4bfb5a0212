package workspace

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// maxUnread limits the unreadable paths that Note names.
const maxUnread = 3

// Unread collects paths that can't be read; they do not make the call fail. The zero value is
// empty.
type Unread struct {
	count int
	names []string
}

// Add adds a path.
func (u *Unread) Add(name string) {
	u.count++
	if len(u.names) < maxUnread {
		u.names = append(u.names, Display(name))
	}
}

// Note returns the lines that report the paths, or "" if there are none. unit is the kind of the
// paths, in the singular.
func (u *Unread) Note(unit string) string {
	if u.count == 0 {
		return ""
	}
	names := strings.Join(u.names, ", ")
	if more := u.count - len(u.names); more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("\n(%s could not be read: %s)\n", toolabi.Quantity(u.count, unit), names)
}
