//go:build unix

package remembered

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

func TestWaitingForTheLockEndsWithTheContext(t *testing.T) {
	root, err := openRoot(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	f := &file[note]{root, notes()}
	held, err := f.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := f.Change(ctx, func(list []note) []note { return list }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(held.Close(), root.Close()); err != nil {
		t.Error(err)
	}
}
