package glob

import (
	"io/fs"

	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

// times looks up the modification times of many files in one call.
type times struct {
	batch *workspace.Batch
	names []string
	to    *newest
}

// add adds a file.
func (t *times) add(name string) {
	if t.names = append(t.names, name); len(t.names) == workspace.MaxBatch {
		t.flush()
	}
}

// flush looks up the times of the files that were added, and adds the files to newest.
func (t *times) flush() {
	for i, found := range t.batch.Stat(t.names) {
		// An error means that the file was removed after its directory was listed.
		if found.Err == nil && (found.Type.IsRegular() || found.Type == fs.ModeSymlink) {
			t.to.add(file{t.names[i], found.ModTime})
		}
	}
	t.names = t.names[:0]
}
