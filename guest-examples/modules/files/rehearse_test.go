package main

import "testing"

// A rehearsal that fails would go unnoticed, and with it what it saves.
func TestRehearsals(t *testing.T) {
	for _, tool := range []string{"read", "grep", "glob", "edit", "multi_edit", "write"} {
		if err := rehearse(tool); err != nil {
			t.Errorf("%s: %v", tool, err)
		}
	}
}
