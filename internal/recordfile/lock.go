package recordfile

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Waiting for another process: it holds the lock for a few milliseconds.
const (
	firstWait = time.Millisecond
	maxWait   = 50 * time.Millisecond
)

// lock keeps other writers out until the file that it returns is closed. It waits as
// long as ctx allows. The lock is of the system and ends with the process.
func (f *File[T]) lock(ctx context.Context) (*os.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := f.openFile(f.lockName(), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	for wait := firstWait; ; wait = min(2*wait, maxWait) {
		locked, err := tryLock(file)
		if locked {
			return file, nil
		}
		if err == nil {
			err = pause(ctx, wait)
		}
		if err != nil {
			_ = file.Close() // nothing was written to it
			return nil, fmt.Errorf("%s: the file is in use by another process: %w", f.kind.Name, err)
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
