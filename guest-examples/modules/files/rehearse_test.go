package main

import "testing"

// A failing rehearsal would go unnoticed, because it would only make calls slower.
func TestRehearsals(t *testing.T) {
	for _, tool := range []string{"read", "grep", "glob", "edit", "multi_edit", "write"} {
		if err := rehearse(tool); err != nil {
			t.Errorf("%s: %v", tool, err)
		}
	}
}
