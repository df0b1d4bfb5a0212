package cli

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// Suggested commands contain words from a tool's untrusted author. They must be quoted, because the
// user pastes them into a shell.
func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"write:workspace":                 "write:workspace",
		"net:GET,POST:https://a.example/": "net:GET,POST:https://a.example/",
		"../my-tool":                      "../my-tool",
		"net:https://*.example.com/":      "'net:https://*.example.com/'",
		"my tool":                         "'my tool'",
		"":                                "''",
		"~/x":                             "'~/x'",
		"a'b":                             `'a'\''b'`,
		"$(x)`x`;x&x|x>x\\":               "'$(x)`x`;x&x|x>x\\'",
		"a\nb\x1b":                        `'a\nb\x1b'`,
	} {
		if got := shellWord(word); got != want {
			t.Errorf("%q: got %s, want %s", word, got, want)
		}
	}
	sh := testlevel.Program(t, "sh")
	const printable = "~!@#$%^&*()_+`-={}[]|\\:\";'<>?,./ $(exit 1) a'b''c"
	out, err := exec.CommandContext(t.Context(), sh, "-c", "printf %s "+shellWord(printable)).CombinedOutput()
	if err != nil || string(out) != printable || strings.Contains(string(out), "\n") {
		t.Errorf("a shell reads %q, %v", out, err)
	}
}
