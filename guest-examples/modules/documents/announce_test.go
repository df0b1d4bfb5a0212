package main

import (
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/tools/convert"
	"github.com/wasmtool/wasmtool/guest-examples/tools/markdown"
)

// What a call does is shown while it runs.
func TestCallsAnnounceThemselves(t *testing.T) {
	for want, args := range map[string]toolabi.Announcer{
		"Converting":                convert.Args{},
		"Reading Markdown: outline": markdown.Args{Operation: "outline"},
	} {
		if title, metadata := args.Announce(); title != want || metadata != nil {
			t.Errorf("got %q and %v, want %q", title, metadata, want)
		}
	}
}
