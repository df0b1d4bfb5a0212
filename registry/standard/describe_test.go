package standard_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/ledger/loop"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// skills is a tool that asks for write access, so its calls need approval; describing itself needs
// only read access.
const skills = `
manifest = 1
name = "skill"
version = "1.0.0"
description = "Static."
[module]
path = "tool.wasm"
args = ["call"]
[describe]
args = ["describe"]
[[permissions.fs]]
mount = "workspace"
mode = "write"
[parameters]
type = "object"
[parameters.properties.name]
type = "string"
`

// A module describes its tool from the directories that it may read, and does so again on each
// request. It changes nothing in these directories.
func TestModuleDescribesItsTool(t *testing.T) {
	folder, workspace := t.TempDir(), t.TempDir()
	putTool(t, filepath.Join(folder, "skill"), "tool.wasm", skills, guesttest.BuildGo(t, "../../guest/internal/skills"))
	put := func(name string) {
		if err := os.WriteFile(filepath.Join(workspace, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("cook")
	open := func(o standard.Options) *registry.Registry {
		o.Sources.NoBuiltins, o.Sources.Directories, o.Registry.Calls.Loops = true, []string{folder}, loop.Options{Off: true}
		tools, err := standard.New(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := tools.Close(); err != nil {
				t.Error(err)
			}
		})
		return tools
	}
	expect := func(tools *registry.Registry, want string) {
		t.Helper()
		if info, _ := tools.Tools().Get("skill"); info.Description != want {
			t.Errorf("it says %q, want %q", info.Description, want)
		}
	}
	tools := open(standard.Options{Workspace: workspace})
	changed := tools.Calls().Subscribe(ledger.EventFilter{})
	defer changed.Close()
	expect(tools, "Static.")
	if err := tools.Tools().Describe(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(tools, "Skills: cook.")
	if e := <-changed.Events(); e.Kind != ledger.EventTools {
		t.Errorf("got %+v", e)
	}
	_, err := execute(t, tools, "skill", `{"name":"sing"}`)
	if tool.CodeOf(err) != tool.CodeInvalidArgument {
		t.Errorf("a skill that is not there: %v", err)
	}
	put("sing")
	if _, err := tools.Tools().Refresh(t.Context(), "skill"); err != nil {
		t.Fatal(err)
	}
	expect(tools, "Skills: cook, sing.")
	for name, o := range map[string]standard.Options{
		"without a folder": {},
		"switched off":     {Workspace: workspace, Registry: registry.Options{Tools: catalogue.Options{NoDescriptions: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			tools := open(o)
			if err := tools.Tools().Describe(t.Context()); err != nil {
				t.Error(err)
			}
			expect(tools, "Static.")
		})
	}
}
