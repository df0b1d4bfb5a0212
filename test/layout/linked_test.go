package layout

import (
	"os/exec"
	"strings"
	"testing"
)

// embedded lists packages that programs import. For each package it lists the modules that the
// import must not add to a program. The modules are only for the command, or for programs that
// import a separate package.
var embedded = []struct {
	path   string
	linked []string // modules
	reason string
}{
	{"test/embedder", []string{"github.com/coreos/go-oidc/v3", "github.com/go-jose/go-jose/v4"}, "users of an authorization server come with registry/mcpserver/oauth"},
	{"test/embedder", []string{"github.com/modelcontextprotocol/go-sdk"}, "MCP clients are served by registry/mcpserver"},
	{"test/embedder", []string{"github.com/zalando/go-keyring", "github.com/godbus/dbus/v5"}, "the keyring of the system comes with hostfuncs/secret/keyring"},
	{"test/embedder", []string{"go.yaml.in/yaml/v4"}, "only the command reads OpenAPI documents"},
	{"test/embedder", []string{"github.com/spf13/cobra", "golang.org/x/term"}, "only the command has a command line"},
	{"registry/mcpserver", []string{"github.com/coreos/go-oidc/v3", "github.com/go-jose/go-jose/v4"}, "a server without users has no signatures to check"},
}

func TestEmbeddersLinkOnlyWhatTheyUse(t *testing.T) {
	modules := make(map[string]map[string]bool) // the linked modules of each path
	for _, e := range embedded {
		if modules[e.path] == nil {
			modules[e.path] = modulesOf(t, e.path)
		}
		for _, module := range e.linked {
			if modules[e.path][module] {
				t.Errorf("%s links %s: %s ('go mod why -m %s' and 'go list -deps' show how)", e.path, module, e.reason, module)
			}
		}
	}
	needed := modulesOf(t, "cmd/wasmtool")
	for _, e := range embedded {
		for _, module := range e.linked {
			if !needed[module] {
				t.Errorf("nothing links %s; remove it from the list", module)
			}
		}
	}
}

// The main module needs neither OpenTelemetry nor an agent framework, because registry/telemetry
// and the adapters are modules of their own.
func TestNeitherTelemetryNorFrameworksAreNeeded(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{if not .Indirect}}{{.Path}}{{end}}", "all").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, module := range []string{"go.opentelemetry.io/", "github.com/anthropics/anthropic-sdk-go", "google.golang.org/adk"} {
		if strings.Contains(string(out), module) {
			t.Errorf("go.mod requires %s", module)
		}
	}
}

// The main module has its own client for model providers. An SDK would make connections that
// package egress does not check. The modules in adapters offer tools to programs that use SDKs.
func TestNoProviderSDKIsNeeded(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Path}}", "all").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for module := range strings.FieldsSeq(string(out)) {
		for _, sdk := range []string{"openai", "anthropic", "genai", "generative-ai", "vertexai", "mistral", "ollama", "langchain"} {
			if strings.Contains(module, sdk) {
				t.Errorf("go.mod requires %s ('go mod why -m %s' shows how)", module, module)
			}
		}
	}
}

// The tests in test/extism compare package runtime with the SDK of Extism. No other package may
// link it.
func TestOnlyTestsLinkExtismSDK(t *testing.T) {
	for _, module := range []string{"github.com/extism/go-sdk", "github.com/dylibso/observe-sdk/go", "google.golang.org/protobuf"} {
		if modulesOf(t, "...")[module] {
			t.Errorf("a package that is not a test links %s ('go mod why -m %s' shows how)", module, module)
		}
	}
}

// modulesOf returns the modules of all packages that a package links.
func modulesOf(t *testing.T, path string) map[string]bool {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", project+"/"+path)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	modules := make(map[string]bool)
	for module := range strings.FieldsSeq(string(out)) {
		modules[module] = true
	}
	return modules
}
