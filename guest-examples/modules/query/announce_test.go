package main

import (
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/tools/json"
)

// What a call does is shown while it runs.
func TestCallsAnnounceThemselves(t *testing.T) {
	for want, args := range map[string]toolabi.Announcer{
		"Querying JSON":   json.Args{Operation: json.Query, Query: ".a"},
		"Formatting JSON": json.Args{Operation: json.Minify},
		"Checking JSON":   json.Args{Operation: json.Validate},
	} {
		if title, metadata := args.Announce(); title != want || metadata != nil {
			t.Errorf("got %q and %v, want %q", title, metadata, want)
		}
	}
}
