//go:build unix

package approvals

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

func TestWaitingForTheLockEndsWithTheContext(t *testing.T) {
	f, err := Open(filepath.Join(t.TempDir(), "a"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	held, err := f.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := f.Revoke(ctx, "", "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(held.Close(), f.Close()); err != nil {
		t.Error(err)
	}
}
