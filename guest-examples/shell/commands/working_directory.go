package commands

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"
)

// workingDirectory changes the working directory of the process for commands that open files
// relative to the working directory. Several commands can use the same directory at the same time.
// Commands in other directories wait.
type workingDirectory struct {
	mu     sync.Mutex
	users  int
	dir    string        // the directory in use
	before string        // the working directory of the process before the change
	free   chan struct{} // closed when the last command releases the directory
}

var errDirectory = errors.New("awk can't run in different directories in the same pipeline; run both awk commands in the same directory")

// patience limits how long a command waits for commands in another directory. Those commands may be
// waiting for the output of this command.
const patience = 2 * time.Second

// enter makes dir the working directory. It waits while another directory is in use. The caller
// must call release afterwards.
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
		_ = os.Chdir(w.before) // ignore an error: no code uses the previous directory
		close(w.free)
	}
}
