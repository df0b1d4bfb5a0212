package kv

import (
	"os"
	"path/filepath"
	"testing"
)

// TestBoltOpensWhenItIsUsed checks that a Store creates its directory with the first call and not
// before.
func TestBoltOpensWhenItIsUsed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kv")
	l := NewBolt(dir, Options{})
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Fatalf("the directory exists before the first call: %v", err)
	}
	ns := Namespace{Tool: "a"}
	if err := l.Put(t.Context(), ns, "k", []byte("v")); err != nil {
		t.Fatal(err)
	}
	if got, err := l.Get(t.Context(), ns, "k"); err != nil || string(got) != "v" {
		t.Errorf("got %q, %v", got, err)
	}
	if swapped, err := l.Swap(t.Context(), ns, "k", []byte("v"), []byte("w")); !swapped || err != nil {
		t.Errorf("swap: %v, %v", swapped, err)
	}
	if keys, err := l.List(t.Context(), ns, "", "", 10); err != nil || len(keys) != 1 {
		t.Errorf("list: %q, %v", keys, err)
	}
	if err := l.Delete(t.Context(), ns, "k"); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := l.Put(t.Context(), ns, "k", nil); err == nil {
		t.Error("a call succeeded after Close")
	}
}
