package attack

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// No tool may write to a directory with files that decide what tools may do, or that run outside of
// the sandbox. Directories with links to such files are protected too.
func TestNothingTrustedIsWritten(t *testing.T) {
	const own = "secrets.TOKEN.%s\n"
	for _, tt := range []struct {
		name     string
		operator string
		state    string // the directory of the stores
		code     tool.Code
	}{
		{"nothing of that lies there", "", "", ""},
		{"the file of a secret", fmt.Sprintf(own, "file = 'DIR/a/key'"), "", tool.CodePermissionDenied},
		{"the program that tells a secret", fmt.Sprintf(own, "command = ['DIR/a/get']"), "", tool.CodePermissionDenied},
		{"a link to that program", fmt.Sprintf(own, "command = ['DIR/a/link/get']"), "", tool.CodePermissionDenied},
		{"a program that is found by its name", fmt.Sprintf(own, "command = ['get']"), "", ""},
		{"the record of calls", "audit.file = 'DIR/a/b/audit.jsonl'\n", "", tool.CodePermissionDenied},
		{"the stores", "", "DIR/state", tool.CodePermissionDenied},
		{"a link to the stores", "", "DIR/a/link", tool.CodePermissionDenied},
		{"stores beside it", "", "OUT/state", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, out := t.TempDir(), t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "a"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(out, filepath.Join(dir, "a", "link")); err != nil {
				t.Skipf("links are not supported here: %v", err)
			}
			in := func(text string) string {
				return strings.NewReplacer("DIR", filepath.ToSlash(dir), "OUT", filepath.ToSlash(out)).Replace(text)
			}
			l := newLab(t, setup{
				tools:    map[string]string{"script": fmt.Sprintf(asksData, "write")},
				operator: in(tt.operator + "mounts.data = { path = 'DIR', mode = 'write' }\n" + auto),
				stateDir: in(tt.state),
			})
			_, err := l.execute(t, script("script", step{Do: "create", Text: "/data/new"}))
			if tool.CodeOf(err) != tt.code || err != nil && !strings.Contains(err.Error(), "no tool may write to") {
				t.Errorf("got %v, want the code %q", err, tt.code)
			}
			if _, err := os.Stat(filepath.Join(dir, "new")); (err == nil) != (tt.code == "") {
				t.Errorf("the file: %v", err)
			}
		})
	}
}
