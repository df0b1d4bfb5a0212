package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// asServer is the argument that makes the test binary an MCP server.
const asServer = "mcp-server"

// serveVariables runs a server with one tool, which returns the names of its environment variables.
// It also writes a line that is not a message, as some programs do.
func serveVariables(in io.Reader, out io.Writer) int {
	fmt.Fprintln(out, "Starting the server...")
	tools := registry.New(registry.Options{})
	spec, executor, err := native.Define(native.Options{Spec: tool.Spec{Name: "variables", Description: "Tells the names of its variables."}},
		func(context.Context, struct{}) (any, error) {
			var names []string
			for _, v := range os.Environ() {
				name, _, _ := strings.Cut(v, "=")
				names = append(names, name)
			}
			return map[string]any{"names": names, "exact": json.RawMessage("9007199254740993")}, nil
		})
	if err == nil {
		err = tools.Tools().Register(spec, executor)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	server := mcpserver.New(tools, mcpserver.Options{})
	defer server.Close()
	if err := server.ServeStdio(context.Background(), in, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// The tools of a program in the operator's file need approval. The program gets only the variables
// that the file names.
func TestServers(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	variables := map[string]string{"PATH": os.Getenv("PATH"), "TOKEN": "s3cret", "OTHER": "s3cret"}
	open := func(t *testing.T, file string) *registry.Registry {
		t.Helper()
		c, err := config.Decode(config.File{Name: "wasmtool.toml"}, []byte(strings.ReplaceAll(file, "PROGRAM", program)), func(name string) (string, bool) {
			value, ok := variables[name]
			return value, ok
		})
		if err != nil {
			t.Fatal(err)
		}
		tools, err := standard.New(standard.Options{
			Config:   c,
			Sources:  standard.Sources{NoBuiltins: true, Servers: []string{"own"}, OnLoadError: func(err error) { t.Error(err) }},
			NoCache:  true,
			StateDir: t.TempDir(),
		})
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
	const (
		name    = "mcp__own__variables"
		command = "[servers.own]\ncommand = ['PROGRAM', \"" + asServer + "\"]\n"
		runs    = "[tools." + name + "]\nauto_execute = true\n"
	)
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		if tools := open(t, ""); tools.Tools().Has(name) {
			t.Error("there is a tool without a server")
		}
	})
	t.Run("asked about", func(t *testing.T) {
		t.Parallel()
		_, err := open(t, command).Execute(t.Context(), tool.Call{Tool: name})
		if tool.CodeOf(err) != tool.CodeApprovalRequired {
			t.Errorf("got %v", err)
		}
	})
	t.Run("pinned", func(t *testing.T) {
		t.Parallel()
		_, err := open(t, command+runs+"digest = \"sha256:"+strings.Repeat("0", 64)+"\"\n").Execute(t.Context(), tool.Call{Tool: name})
		if tool.CodeOf(err) != tool.CodePermissionDenied {
			t.Errorf("got %v", err)
		}
	})
	for env, want := range map[string][]string{
		"":                    {"PATH", "WASMTOOL_MCP_SERVER"},
		"env = [\"TOKEN\"]\n": {"PATH", "TOKEN", "WASMTOOL_MCP_SERVER"},
	} {
		t.Run("runs with "+env, func(t *testing.T) {
			t.Parallel()
			result, err := open(t, command+env+runs).Execute(t.Context(), tool.Call{Tool: name})
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Names []string
				Exact json.Number
			}
			if err := json.Unmarshal(result.Structured, &got); err != nil {
				t.Fatal(err)
			}
			got.Names = slices.DeleteFunc(got.Names, func(n string) bool { return strings.EqualFold(n, "SystemRoot") })
			slices.Sort(got.Names)
			if !slices.Equal(got.Names, want) || got.Exact != "9007199254740993" {
				t.Errorf("got %q and %s, want %q", got.Names, got.Exact, want)
			}
		})
	}
}
