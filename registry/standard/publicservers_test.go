package standard_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/internal/corpora"
	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/executor/mcp"
)

// publicServers are packages of npm with MCP servers that list their tools without an account and
// without the network. Install them with "npm install --ignore-scripts PACKAGE@VERSION..." in the
// directory npm-mcp; a server whose package is missing is skipped.
var publicServers = []struct {
	name, npm, version string
	args               []string
	env                []string // variables that only have to be set
}{
	{"everything", "@modelcontextprotocol/server-everything", "2026.8.31", []string{"stdio"}, nil},
	{"filesystem", "@modelcontextprotocol/server-filesystem", "2026.8.31", []string{os.TempDir()}, nil},
	{"memory", "@modelcontextprotocol/server-memory", "2026.8.31", nil, nil},
	{"thinking", "@modelcontextprotocol/server-sequential-thinking", "2026.8.31", nil, nil},
	{"github", "@modelcontextprotocol/server-github", "2025.4.8", nil, nil},
	{"brave", "@modelcontextprotocol/server-brave-search", "0.6.2", nil, []string{"BRAVE_API_KEY"}},
	{"slack", "@modelcontextprotocol/server-slack", "2025.4.25", nil, []string{"SLACK_BOT_TOKEN", "SLACK_TEAM_ID"}},
	{"gitlab", "@modelcontextprotocol/server-gitlab", "2025.4.25", nil, []string{"GITLAB_PERSONAL_ACCESS_TOKEN"}},
	{"maps", "@modelcontextprotocol/server-google-maps", "0.6.2", nil, []string{"GOOGLE_MAPS_API_KEY"}},
	{"postgres", "@modelcontextprotocol/server-postgres", "0.6.2", []string{"postgresql://localhost/x"}, nil},
	{"notion", "@notionhq/notion-mcp-server", "2.5.2", nil, []string{"NOTION_TOKEN"}},
	{"playwright", "@playwright/mcp", "0.0.83", nil, nil},
	{"sentry", "@sentry/mcp-server", "0.36.0", []string{"--access-token=x"}, nil},
	{"context7", "@upstash/context7-mcp", "4.1.1", nil, nil},
	{"exa", "exa-mcp-server", "3.4.1", nil, []string{"EXA_API_KEY"}},
	{"figma", "figma-developer-mcp", "0.13.2", []string{"--stdio", "--figma-api-key=x"}, nil},
	{"firecrawl", "firecrawl-mcp", "3.22.2", nil, []string{"FIRECRAWL_API_KEY"}},
	{"commands", "mcp-server-commands", "0.5.0", nil, nil},
	{"mongodb", "mongodb-mcp-server", "3.0.4", nil, nil},
	{"tavily", "tavily-mcp", "0.2.22", nil, []string{"TAVILY_API_KEY"}},
}

// TestPublicServers lists the tools of each public server as the Go SDK lists them and as a
// Registry does. Names, titles, descriptions and schemas must be the same. Each tool that is left
// out or changed must be in the log.
func TestPublicServers(t *testing.T) {
	modules := filepath.Join(corpora.Dir(t, "npm-mcp"), "node_modules")
	node := testlevel.Program(t, "node")
	for _, s := range publicServers {
		t.Run(s.name, func(t *testing.T) {
			program := npmProgram(t, filepath.Join(modules, filepath.FromSlash(s.npm)), s.version)
			command := append([]string{node, program}, s.args...)
			for _, name := range s.env {
				t.Setenv(name, "x")
			}
			listed, log := listOfRegistry(t, mcp.Options{Name: s.name, Command: command, Env: s.env})
			theirs := listOfSDK(t, command)
			for _, want := range theirs {
				name := mcp.ToolName(s.name, want.Name)
				changed := strings.Contains(log, "the tool "+want.Name+" is left out") || strings.Contains(log, "the tool "+want.Name+":")
				got, found := listed[name]
				delete(listed, name)
				if changed {
					t.Logf("%s is changed or left out", name)
					continue
				}
				if !found {
					t.Errorf("%s is missing", name)
					continue
				}
				title := want.Title
				if title == "" && want.Annotations != nil {
					title = want.Annotations.Title
				}
				if title != "" && got.Title != title || got.Description != want.Description {
					t.Errorf("%s has the title %q and the description %q, want %q and %q", name, got.Title, got.Description, title, want.Description)
				}
				if parameters := plain(t, got.Parameters); !reflect.DeepEqual(parameters, want.InputSchema) {
					t.Errorf("%s has the input schema %v, want %v", name, parameters, want.InputSchema)
				}
				if result := plain(t, got.Result); !reflect.DeepEqual(result, want.OutputSchema) {
					t.Errorf("%s has the output schema %v, want %v", name, result, want.OutputSchema)
				}
			}
			for name := range listed {
				t.Errorf("%s is not a tool of the server", name)
			}
			t.Logf("%d tools\n%s", len(theirs), log)
		})
	}
}

// npmProgram returns the program of an installed package.
func npmProgram(t *testing.T, dir, version string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		t.Skip("the package is not installed")
	}
	var p struct {
		Version string
		Bin     map[string]string
	}
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	if p.Version != version || len(p.Bin) != 1 {
		t.Fatalf("version %s with %d programs is installed; install version %s", p.Version, len(p.Bin), version)
	}
	for _, program := range p.Bin {
		return filepath.Join(dir, filepath.FromSlash(program))
	}
	return ""
}

// listOfSDK returns the tools of a server as the Go SDK lists them. Its client has no capabilities,
// as ours: some servers have more tools for clients that have roots.
func listOfSDK(t *testing.T, command []string) (tools []*sdk.Tool) {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: exec.Command(command[0], command[1:]...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for one, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, one)
	}
	return tools
}

// listOfRegistry returns the tools of a server as a Registry lists them, by name, and the log.
func listOfRegistry(t *testing.T, o mcp.Options) (tools map[string]catalogue.Info, log string) {
	t.Helper()
	out := &lockedBuffer{}
	o.Logger = slog.New(slog.NewTextHandler(out, nil))
	r := registry.New(registry.Options{Logger: o.Logger})
	defer r.Close()
	if err := r.Tools().AddSource(t.Context(), mcp.NewServer(o)); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tools = make(map[string]catalogue.Info)
	for _, info := range r.Tools().List(catalogue.Filter{}) {
		tools[info.Name] = info
	}
	return tools, out.String()
}

// lockedBuffer is a buffer for concurrent writers.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// plain returns a schema as encoding/json decodes it; nil without one.
func plain(t *testing.T, schema json.RawMessage) (v any) {
	t.Helper()
	if len(schema) == 0 {
		return nil
	}
	if err := json.Unmarshal(schema, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
