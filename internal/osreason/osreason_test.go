package osreason

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The reason of the system is kept, and the path is removed.
func TestPathsAreLeftOut(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	_, open := os.Open(missing)
	for name, err := range map[string]error{
		"of a file":    open,
		"of two files": os.Rename(missing, missing+"2"),
		"wrapped":      fmt.Errorf("open the store: %w", open),
	} {
		reason, found := Of(err)
		if !found || !errors.Is(reason, os.ErrNotExist) || strings.Contains(reason.Error(), "missing") {
			t.Errorf("%s: got %v, %v", name, reason, found)
		}
	}
	other := errors.New("full")
	if reason, found := Of(other); found || reason != other {
		t.Errorf("another error: got %v, %v", reason, found)
	}
	if reason, found := Of(nil); found || reason != nil {
		t.Errorf("nil: got %v, %v", reason, found)
	}
}
