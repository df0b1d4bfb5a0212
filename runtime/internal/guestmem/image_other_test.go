//go:build !linux

package guestmem

import (
	"errors"
	"testing"
)

// On a system without images, a memory cannot be saved, but otherwise works.
func TestMemoryIsNotSaved(t *testing.T) {
	g := newGuest(t, newSystem(t), Options{Limit: 2 * PageSize}, PageSize)
	fill(g.mem, 5)
	if image, err := g.m.Save(nil); image != nil || !errors.Is(err, ErrUnsupported) {
		t.Errorf("Save gave %v, %v", image, err)
	}
	if equal, err := g.m.Adopt(nil); equal || err != nil {
		t.Errorf("Adopt gave %v, %v", equal, err)
	}
	if err := g.m.Restore(func() bool { return true }); !errors.Is(err, ErrUnsupported) {
		t.Errorf("Restore gave %v", err)
	}
	if err := g.m.Trim(); err != nil || g.m.Private() != 0 || g.m.Size() != PageSize {
		t.Errorf("Trim gave %v; %d bytes, %d of them private", err, g.m.Size(), g.m.Private())
	}
}
