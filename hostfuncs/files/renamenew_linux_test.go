package files_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// TestOneCallCreatesAFile makes several calls that create the same file. None of the calls has seen
// the file, and exactly one must succeed.
func TestOneCallCreatesAFile(t *testing.T) {
	const calls, rounds = 4, 300
	dir := t.TempDir()
	views := make([]files.View, calls)
	for i := range views {
		views[i] = newFS(t, readWrite("w", dir)).View("/w")
	}
	for round := range rounds {
		name := fmt.Sprint(round)
		var wrote [calls]error
		start := make(chan struct{})
		var all sync.WaitGroup
		for i, view := range views {
			all.Go(func() {
				<-start
				wrote[i] = view.Replace(name, []byte(fmt.Sprint(i)), &files.Seen{None: true})
			})
		}
		close(start)
		all.Wait()
		winner := -1
		for i, err := range wrote {
			switch {
			case err == nil && winner >= 0:
				t.Fatalf("%d and %d both created it", winner, i)
			case err == nil:
				winner = i
			case !errors.Is(err, files.ErrChanged):
				t.Errorf("%d: %v", i, err)
			}
		}
		holds(t, filepath.Join(dir, name), fmt.Sprint(winner))
	}
	if got := filesIn(t, dir); len(got) != rounds {
		t.Errorf("there are %d files", len(got))
	}
}
