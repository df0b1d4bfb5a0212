package commands

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"
)

// workingFolder lends the current folder of the program to those that open files
// relative to it, one folder at a time.
type workingFolder struct {
	mu     sync.Mutex
	users  int
	dir    string        // that the users want
	before string        // where the program was
	free   chan struct{} // closed when the last user is gone
}

var errFolder = errors.New("another awk of the same pipeline is at work in another folder, which is not possible here; give both names from the same folder")

// patience is how long one waits for those that are at work in another folder,
// who may wait for this one in turn.
const patience = 2 * time.Second

// enter makes dir the current folder. release has to be called afterwards.
func (w *workingFolder) enter(ctx context.Context, dir string) (release func(), err error) {
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		w.mu.Lock()
		if w.users == 0 || w.dir == dir {
			defer w.mu.Unlock()
			return w.leave, w.change(dir)
		}
		free := w.free
		w.mu.Unlock()
		select {
		case <-free:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timeout.C:
			return nil, errFolder
		}
	}
}

func (w *workingFolder) change(dir string) error {
	if w.users == 0 {
		before, err := os.Getwd()
		if err != nil {
			before = "/"
		}
		if err := os.Chdir(dir); err != nil {
			return errors.New(message(err))
		}
		w.before, w.dir, w.free = before, dir, make(chan struct{})
	}
	w.users++
	return nil
}

func (w *workingFolder) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.users--; w.users == 0 {
		_ = os.Chdir(w.before) // nobody relies on where it was
		close(w.free)
	}
}
