package layout

import (
	"os/exec"
	"strings"
	"testing"
)

// embedded are the packages that programs build on, with what they must not link because
// of it: it is for the command, or in a package of its own for programs that want it.
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
	modules := make(map[string]map[string]bool) // that each path links
	for _, e := range embedded {
		if modules[e.path] == nil {
			modules[e.path] = modulesOf(t, e.path)
		}
		for _, module := range e.linked {
			if modules[e.path][module] {
				t.Errorf("%s links %s: %s ('go mod why -m %s' and 'go list -deps' tell how)", e.path, module, e.reason, module)
			}
		}
	}
	needed := modulesOf(t, "cmd/wasmtool")
	for _, e := range embedded {
		for _, module := range e.linked {
			if !needed[module] {
				t.Errorf("nothing links %s any more: take it out of the list", module)
			}
		}
	}
}

// OpenTelemetry is nothing that this module needs: registry/telemetry is a module of its own.
func TestNoTelemetryIsNeeded(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{if not .Indirect}}{{.Path}}{{end}}", "all").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	if strings.Contains(string(out), "go.opentelemetry.io/") {
		t.Error("go.mod requires OpenTelemetry")
	}
}

// The SDK of Extism judges our runtime in test/extism. No package links it outside of tests.
func TestOnlyTestsLinkExtismSDK(t *testing.T) {
	for _, module := range []string{"github.com/extism/go-sdk", "github.com/dylibso/observe-sdk/go", "google.golang.org/protobuf"} {
		if modulesOf(t, "...")[module] {
			t.Errorf("a package that is not a test links %s ('go mod why -m %s' tells how)", module, module)
		}
	}
}

// modulesOf are the modules of all packages that one links.
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
