// Package noted collects the names of the resources that a call used.
package noted

import (
	"slices"
	"sync"
)

// maxNames limits the names of one list.
const maxNames = 200

// Names is a list of up to 200 different names, in the order in which they were added. The zero
// value is empty. It is safe for concurrent use.
type Names struct {
	mu   sync.Mutex
	list []string
	more bool
}

// Add adds a name unless it exists already or the list is full.
func (n *Names) Add(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.more: // the list is full; skip the search, since a call may read thousands of files
	case slices.Contains(n.list, name):
	case len(n.list) >= maxNames:
		n.more = true
	default:
		n.list = append(n.list, name)
	}
}

// List returns a copy of the names, and reports whether there were more.
func (n *Names) List() (list []string, more bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.list), n.more
}
