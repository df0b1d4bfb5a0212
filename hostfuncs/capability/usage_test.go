package capability

import "testing"

func TestUsageTellsWhatMayHaveChanged(t *testing.T) {
	get := RequestUsage{Method: "GET", Sent: true}
	tests := []struct {
		name          string
		u             Usage
		changed, none bool
	}{
		{"nothing", Usage{}, false, true},
		{"a file was read", Usage{FilesRead: []string{"/a"}}, false, false},
		{"a directory was listed", Usage{DirectoriesRead: []string{"/a"}}, false, false},
		{"a file was written", Usage{FilesWritten: []string{"/a"}}, true, false},
		{"a key was read", Usage{KeysRead: []string{"a"}}, false, false},
		{"a key was written", Usage{KeysWritten: []string{"a"}}, true, false},
		{"a request that reads", Usage{Requests: []RequestUsage{get, {Method: "HEAD", Sent: true}}}, false, false},
		{"a request that writes", Usage{Requests: []RequestUsage{get, {Method: "POST", Sent: true}}}, true, false},
		{"one that was not sent", Usage{Requests: []RequestUsage{{Method: "POST"}}}, false, false},
	}
	for _, tt := range tests {
		if tt.u.Changed() != tt.changed || tt.u.None() != tt.none {
			t.Errorf("%s: changed %v, none %v", tt.name, tt.u.Changed(), tt.u.None())
		}
	}
}
