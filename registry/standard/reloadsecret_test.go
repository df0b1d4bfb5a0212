package standard_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// The operator changes the source of a secret, and also the URLs to which it may be sent. Until a
// restart, the Registry keeps the first value. That value must not be sent to the new URLs.
func TestReloadSendsNoOldSecretToANewPlace(t *testing.T) {
	sent := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { sent <- r.Header.Get("X-Token") }))
	defer server.Close()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	manifest := "manifest = 1\nname = \"ask\"\nversion = \"1.0.0\"\ndescription = \"Asks.\"\n" +
		"[rest]\nbase_url = \"" + server.URL + "\"\npath = \"/\"\n[[rest.secrets]]\nname = \"TOKEN\"\nheader = \"X-Token\"\n"
	path := filepath.Join(dir, "wasmtool.toml")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rules := func(secret, url string) string {
		return fmt.Sprintf("[grants]\nallow = [\"net-private:%s/\", \"secret:TOKEN\"]\n[policy]\nallow = [\"*\"]\n[tools.ask]\nauto_execute = true\n[secrets.TOKEN]\n%s\nurls = [%q]\n",
			server.URL, secret, url)
	}
	add := func(name, manifest string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, "tools", name), 0o700); err != nil {
			t.Fatal(err)
		}
		write(filepath.Join(dir, "tools", name, "tool.toml"), manifest)
	}
	add("ask", manifest)
	write(path, rules(`env = "FIRST"`, "https://first.example/"))
	getenv := func(name string) (string, bool) {
		value, ok := map[string]string{"FIRST": "the first value", "SECOND": "the second value"}[name]
		return value, ok
	}
	file := config.File{Path: path, Name: "wasmtool.toml"}
	read, err := config.Load(file, getenv)
	if err != nil {
		t.Fatal(err)
	}
	o := standard.Options{
		Config:   read,
		Sources:  standard.Sources{NoBuiltins: true, Directories: []string{filepath.Join(dir, "tools")}},
		StateDir: filepath.Join(dir, "state"),
		NoCache:  true,
	}
	tools, folders, err := standard.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	reloader := standard.NewReloader(tools, o, file, getenv)
	call := func() (got string, code tool.Code, text string) {
		t.Helper()
		result, err := tools.Execute(t.Context(), tool.Call{Tool: "ask"})
		select {
		case got = <-sent:
		default:
		}
		return got, tool.CodeOf(err), result.Text()
	}
	if got, code, text := call(); got != "" || code != tool.CodePermissionDenied {
		t.Fatalf("before: sent %q, %s: %s", got, code, text)
	}
	write(path, rules(`env = "SECOND"`, server.URL+"/"))
	if reload, err := reloader.Reload(t.Context()); err != nil || !reload.Changed || len(reload.Pending) != 1 {
		t.Fatalf("%+v, %v", reload, err)
	}
	if got, code, text := call(); got != "" || code != tool.CodePermissionDenied || !strings.Contains(text, "secret:TOKEN") {
		t.Errorf("the new place got %q, %s: %s", got, code, text)
	}
	add("other", strings.Replace(manifest, `"ask"`, `"other"`, 1))
	// When a tool is added, the rules are rebuilt. They must not allow the first value to be sent
	// to the new URLs either.
	if changes := reloader.ReloadDirectories(t.Context(), folders); len(changes) != 0 {
		t.Fatalf("told %v", changes) // a directory is loaded at the second check
	}
	if changes := reloader.ReloadDirectories(t.Context(), folders); len(changes) != 1 || changes[0].Kind != standard.ToolAdded {
		t.Fatalf("told %v", changes)
	}
	if got, code, text := call(); got != "" || code != tool.CodePermissionDenied || !strings.Contains(text, "secret:TOKEN") {
		t.Errorf("after a tool came, the new place got %q, %s: %s", got, code, text)
	}
	// If only the URLs and the TTL of a secret change, but not its source, the value may be sent to
	// the new URLs at once.
	write(path, rules("env = \"FIRST\"\nttl = \"1m\"", server.URL+"/"))
	if _, err := reloader.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, code, text := call(); got != "the first value" || code != "" {
		t.Errorf("the value that holds: sent %q, %s: %s", got, code, text)
	}
}

// A value of the program replaces the value of the file, also after a reload. Where it may be sent,
// and to which tools it is granted, is up to the file.
func TestSecretsOfTheProgram(t *testing.T) {
	sent := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { sent <- r.Header.Get("X-Token") }))
	defer server.Close()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	manifest := "manifest = 1\nname = \"ask\"\nversion = \"1.0.0\"\ndescription = \"Asks.\"\n" +
		"[rest]\nbase_url = \"" + server.URL + "\"\npath = \"/\"\n[[rest.secrets]]\nname = \"TOKEN\"\nheader = \"X-Token\"\n"
	path := filepath.Join(dir, "wasmtool.toml")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "tool.toml"), manifest)
	base := fmt.Sprintf("[tools.ask]\nauto_execute = true\n[grants]\nallow = [\"net-private:%s/\"", server.URL)
	granted := base + ", \"secret:TOKEN\"]\n[secrets.TOKEN]\nenv = \"FILE\"\n"
	write(path, granted)
	getenv := func(name string) (string, bool) { return "the value of " + name, true }
	file := config.File{Path: path, Name: "wasmtool.toml"}
	read, err := config.Load(file, getenv)
	if err != nil {
		t.Fatal(err)
	}
	o := standard.Options{
		Config:  read,
		Sources: standard.Sources{NoBuiltins: true, Directories: []string{dir}},
		Secrets: map[string]secret.Source{"TOKEN": secret.FromEnv("FLAG", getenv)}, StateDir: filepath.Join(dir, "state"), NoCache: true,
	}
	tools, err := standard.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	reloader := standard.NewReloader(tools, o, file, getenv)
	for _, tt := range []struct{ text, sent string }{
		{granted, "the value of FLAG"},
		{granted + "urls = [\"https://elsewhere.example/\"]\n", ""},
		{granted + "urls = [\"" + server.URL + "/\"]\nttl = \"1m\"\n", "the value of FLAG"},
		{base + "]\n", ""}, // the file has no such secret, and grants none
	} {
		write(path, tt.text)
		if reload, err := reloader.Reload(t.Context()); err != nil || len(reload.Pending) > 0 {
			t.Fatalf("%+v, %v", reload, err)
		}
		_, err := tools.Execute(t.Context(), tool.Call{Tool: "ask"})
		got := ""
		select {
		case got = <-sent:
		default:
		}
		if got != tt.sent || (err == nil) != (tt.sent != "") {
			t.Errorf("%s\nsent %q, %v", tt.text, got, err)
		}
	}
}
