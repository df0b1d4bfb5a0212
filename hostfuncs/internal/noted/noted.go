// Package noted collects the names of what a call reached.
package noted

import (
	"slices"
	"sync"
)

// maxNames bounds the names of one list.
const maxNames = 200

// Names are up to 200 different names, in the order in which they came. The zero value
// is empty. It is safe for concurrent use.
type Names struct {
	mu   sync.Mutex
	list []string
	more bool
}

// Add adds a name that is not there yet, if there is room.
func (n *Names) Add(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.more: // a search reads thousands of files
	case slices.Contains(n.list, name):
	case len(n.list) >= maxNames:
		n.more = true
	default:
		n.list = append(n.list, name)
	}
}

// List returns a copy of the names, and whether there were more.
func (n *Names) List() (list []string, more bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.list), n.more
}
