package main

import (
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/tools/array"
	"github.com/wasmtool/wasmtool/guest-examples/tools/calculator"
	"github.com/wasmtool/wasmtool/guest-examples/tools/datetime"
	"github.com/wasmtool/wasmtool/guest-examples/tools/object"
	stringtool "github.com/wasmtool/wasmtool/guest-examples/tools/string"
)

// What a call does is shown while it runs.
func TestCallsAnnounceThemselves(t *testing.T) {
	for want, args := range map[string]toolabi.Announcer{
		"Calculating":        calculator.Args{Expression: "1+1"},
		"Array: sort":        array.Args{Operation: "sort"},
		"Object: get":        object.Args{Operation: "get"},
		"Date and time: now": datetime.Args{},
		"Text: length":       stringtool.Args{Operation: "length"},
	} {
		if title, metadata := args.Announce(); title != want || metadata != nil {
			t.Errorf("got %q and %v, want %q", title, metadata, want)
		}
	}
}
