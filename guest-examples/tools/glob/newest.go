package glob

import (
	"cmp"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

// file is a match.
type file struct {
	name    string
	modTime time.Time
}

// newest collects files, counts them all and keeps the newest. Its memory depends only on the
// limit.
type newest struct {
	limit int
	count int
	kept  []file

	unread  workspace.Unread // directories
	ignored int              // files and directories
}

func (n *newest) add(f file) {
	n.count++
	n.kept = append(n.kept, f)
	// Sorting only now and then makes adding a file cheap.
	if len(n.kept) >= 4*n.limit+1000 {
		n.kept = n.sorted()
	}
}

// sorted returns the newest files, the newest first; files of the same time are ordered by name.
func (n *newest) sorted() []file {
	slices.SortFunc(n.kept, func(a, b file) int {
		return cmp.Or(b.modTime.Compare(a.modTime), cmp.Compare(a.name, b.name))
	})
	return n.kept[:min(len(n.kept), n.limit)]
}
