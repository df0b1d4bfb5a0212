//go:build unix

package recordfile

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

func TestWaitingForTheLockEndsWithTheContext(t *testing.T) {
	f, err := Open(filepath.Join(t.TempDir(), "a"), notes())
	if err != nil {
		t.Fatal(err)
	}
	held, err := f.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := f.Change(ctx, func(list []note) []note { return list }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(held.Close(), f.Close()); err != nil {
		t.Error(err)
	}
}
