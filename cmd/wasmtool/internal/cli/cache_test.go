package cli

import (
	"reflect"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/runtime"
)

// The parts of a module are one entry. Entries of other versions, and entries without a digest, are
// entries of their own.
func TestCacheViewJoinsParts(t *testing.T) {
	at := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	view := newCacheView([]runtime.CacheEntry{
		{ModuleDigest: "a", Bytes: 1, LastUsed: at, Usable: true},
		{ModuleDigest: "b", Bytes: 2, LastUsed: at, Usable: true},
		{ModuleDigest: "a", Bytes: 4, LastUsed: at.Add(-time.Hour), Usable: true},
		{ModuleDigest: "a", Bytes: 8, LastUsed: at},
		{Bytes: 16, LastUsed: at},
		{Bytes: 32, LastUsed: at},
	}, []standard.Module{{Digest: "a", Tool: "y"}, {Digest: "a", Tool: "x"}})
	tools := []string{"x", "y"}
	want := []cacheEntryView{
		{SHA256: "a", Bytes: 5, LastUsed: at, Usable: true, Tools: tools},
		{SHA256: "b", Bytes: 2, LastUsed: at, Usable: true, Tools: []string{}},
		{SHA256: "a", Bytes: 8, LastUsed: at, Tools: tools},
		{Bytes: 16, LastUsed: at, Tools: []string{}},
		{Bytes: 32, LastUsed: at, Tools: []string{}},
	}
	if !reflect.DeepEqual(view.Entries, want) || view.Bytes != 63 {
		t.Errorf("got %+v and %d bytes", view.Entries, view.Bytes)
	}
}
