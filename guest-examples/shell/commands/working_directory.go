package commands

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"
)

// workingDirectory changes the working directory of the process for commands that open files
// relative to it. Several commands may share a directory, but only one directory is in use at a
// time.
type workingDirectory struct {
	mu     sync.Mutex
	users  int
	dir    string        // the directory in use
	before string        // the previous directory of the process
	free   chan struct{} // closed when the last user leaves
}

var errDirectory = errors.New("another awk of the same pipeline runs in another directory, which is not supported; run both in the same directory")

// patience limits the wait for commands in another directory, which may in turn wait for this one.
const patience = 2 * time.Second

// enter makes dir the working directory. The caller must call release afterwards.
func (w *workingDirectory) enter(ctx context.Context, dir string) (release func(), err error) {
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
			return nil, errDirectory
		}
	}
}

func (w *workingDirectory) change(dir string) error {
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

func (w *workingDirectory) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.users--; w.users == 0 {
		_ = os.Chdir(w.before) // nothing relies on the previous directory
		close(w.free)
	}
}
