package cli

import (
	"slices"
	"testing"

	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/standard"
)

// The tool code may call the tools of all servers, so a command that names it starts them all.
func TestCodeStartsAllServers(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	file, err := config.Decode(config.File{Path: "wasmtool.toml"}, []byte("[servers.one]\ncommand = [\"one\"]\n\n[servers.two]\ncommand = [\"two\"]\n"), none)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{"code": {"one", "two"}, "grep": nil, "mcp__one__x": nil} {
		options := standard.Options{Config: file}
		toolOptions{app: &app{getenv: none}}.startServers(&options, name)
		got := slices.Sorted(slices.Values(options.Sources.Servers))
		if !slices.Equal(got, want) || !slices.Equal(options.Sources.ServersOf, []string{name}) {
			t.Errorf("%s starts %v and the servers of %v, want %v", name, got, options.Sources.ServersOf, want)
		}
	}
}
