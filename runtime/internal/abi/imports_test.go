package abi

import (
	"testing"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Only modules whose imports are all known to call no listener are said not to.
func TestListens(t *testing.T) {
	for _, tt := range []struct {
		module, name string
		want         bool
	}{
		{WASI, "path_open", false},
		{WASI, "fd_write", false},
		{V1, "input_len", false},
		{V1, "input_read", false},
		{V1, "output_write", false},
		{V1, "error_write", false},
		{V1, "log", true},
		{V1, "progress", true},
		{V1, "update", true},
		{V1, "tools_call", true},
		{V1, "added_later", true},
		{ExtismHost, "log_info", true},
		{ExtismHost, "output_set", true},
		{"env", "input_len", true},
	} {
		report := &rewrite.Report{Imports: []rewrite.Import{{Module: V1, Name: "input_len"}, {Module: tt.module, Name: tt.name}}}
		if got := listens(report); got != tt.want {
			t.Errorf("%s.%s: got %v", tt.module, tt.name, got)
		}
	}
	if listens(&rewrite.Report{}) {
		t.Error("a module without imports listens")
	}
}
