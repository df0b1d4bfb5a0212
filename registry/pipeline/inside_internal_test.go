package pipeline

import (
	"slices"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/catalogue"
)

// A call inside a call inside another does not wait for files that the outermost call has.
func TestInsideHasTheFilesOfAllOuterCalls(t *testing.T) {
	writes := []capability.GrantedFS{{FS: capability.FS{Mount: "workspace", Mode: capability.ModeWrite}, Dir: t.TempDir()}}
	call := func(in *inside, fs []capability.GrantedFS) authorised {
		return authorised{
			prepared: prepared{Request: &Request{inside: in}, tool: new(catalogue.Tool)},
			grant:    capability.Grant{FS: fs, Tools: []string{"*"}},
		}
	}
	outer := insideOf(call(nil, writes))
	middle := insideOf(call(outer, nil))
	if len(outer.held) != 1 || !slices.Equal(middle.held, outer.held) {
		t.Errorf("the outer call passes on %q, and the call inside it %q", outer.held, middle.held)
	}
}
