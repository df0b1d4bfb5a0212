package kv

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestGuardedTurnsAPanicIntoCorruptAndClosesTheFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	err = withDB("f", false, func(string, int, os.FileMode) (*os.File, error) { return f, nil }, func(opened) error {
		panic("a page is not what it should be")
	})
	var e *Error
	if !errors.As(err, &e) || e.Kind != Corrupt {
		t.Errorf("error is %v, want kind %s", err, Corrupt)
	}
	if err := f.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the file was left open: %v", err)
	}
}

func TestAPanicLeavesNoLock(t *testing.T) {
	b, err := OpenBolt(filepath.Join(t.TempDir(), "kv"), Options{Wait: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ns := Namespace{Tool: "t"}
	for name, use := range map[string]func(*visit) error{
		"view": func(v *visit) error {
			_, err := v.view(func(table) error { panic("a page is not what it should be") })
			return err
		},
		"update": func(v *visit) error {
			return v.update(true, func(table) (bool, error) { panic("a page is not what it should be") })
		},
	} {
		if err := b.Put(t.Context(), ns, "k", []byte(name)); err != nil {
			t.Fatal(err)
		}
		err := b.visit(t.Context(), ns, use)
		var e *Error
		if !errors.As(err, &e) || e.Kind != Corrupt {
			t.Errorf("%s: error is %v, want kind %s", name, err, Corrupt)
		}
		if err := b.Put(t.Context(), ns, "k", []byte("after")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFileLimitHoldsForAnyOptions(t *testing.T) {
	const most = int(^uint(0) >> 1)
	for _, o := range []Options{{}, {MaxKeys: 1, MaxBytes: 1}, {MaxKeys: most, MaxBytes: int64(most)}} {
		b := Bolt{options: o.withDefaults()}
		if limit := b.fileLimit(); limit < 1<<20 {
			t.Errorf("limit for %+v is %d", o, limit)
		}
	}
}
