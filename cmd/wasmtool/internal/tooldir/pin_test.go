package tooldir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPin(t *testing.T) {
	const head = "manifest = 1\nname = \"x\"\nversion = \"1.0.0\"\ndescription = \"X.\"\n"
	digest, old := strings.Repeat("1f", 32), strings.Repeat("0a", 32)
	for text, want := range map[string]string{
		"module.path = \"x.wasm\"\ntimeout = \"1s\"\n":                                          "module.path = \"x.wasm\"\nmodule.sha256 = \"" + digest + "\"\ntimeout = \"1s\"\n",
		"[module]\n# the program\n\nabi = \"command\"\npath = \"x.wasm\" # here\n[limits]\n":    "[module]\n# the program\n\nabi = \"command\"\npath = \"x.wasm\" # here\nsha256 = \"" + digest + "\"\n[limits]\n",
		"[module]\npath = \"x.wasm\"\nsha256 = '" + old + "' # pinned\n":                        "[module]\npath = \"x.wasm\"\nsha256 = \"" + digest + "\" # pinned\n",
		"[module]\npath = \"x.wasm\"\n[[examples]]\ntitle = \"x\"\noutput = '''\npath = 1'''\n": "[module]\npath = \"x.wasm\"\nsha256 = \"" + digest + "\"\n[[examples]]\ntitle = \"x\"\noutput = '''\npath = 1'''\n",
		"[module]\npath = \"x.wasm\"\nsha256 = \"" + digest + "\"\n":                            "[module]\npath = \"x.wasm\"\nsha256 = \"" + digest + "\"\n",
		"module = { path = \"x.wasm\" }\n":                                                      "",
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "tool.toml")
		if err := os.WriteFile(path, []byte(head+text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := Pin(dir, digest)
		got, readErr := os.ReadFile(path)
		if readErr != nil {
			t.Fatal(readErr)
		}
		switch {
		case want == "" && (err == nil || !strings.Contains(err.Error(), "write module.sha256 = \""+digest) || string(got) != head+text):
			t.Errorf("%s: got %v and %s", text, err, got)
		case want != "" && (err != nil || string(got) != head+want):
			t.Errorf("%s: got %v and\n%s", text, err, got)
		}
	}
}
