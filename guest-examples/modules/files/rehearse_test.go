package main

import "testing"

// A failed rehearsal only makes calls slower, so only this test detects it.
func TestRehearsals(t *testing.T) {
	for _, tool := range []string{"read", "grep", "glob", "edit", "multi_edit", "write"} {
		if err := rehearse(tool); err != nil {
			t.Errorf("%s: %v", tool, err)
		}
	}
}
