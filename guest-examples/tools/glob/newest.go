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

// newest counts all files and keeps only the newest. Its memory depends only on the limit and not
// on the number of files.
type newest struct {
	limit   int
	count   int
	kept    []file
	unread  workspace.Unread // directories
	leftOut workspace.LeftOut
}

func (n *newest) add(f file) {
	n.count++
	n.kept = append(n.kept, f)
	// Sort only after many files, so that adding a file takes little time.
	if len(n.kept) >= 4*n.limit+1000 {
		n.kept = n.sorted()
	}
}

// sorted returns the newest files in order, the newest first. Files with the same time are ordered
// by name.
func (n *newest) sorted() []file {
	slices.SortFunc(n.kept, func(a, b file) int {
		return cmp.Or(b.modTime.Compare(a.modTime), cmp.Compare(a.name, b.name))
	})
	return n.kept[:min(len(n.kept), n.limit)]
}
