package commands

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Options that follow links reach the files behind them. A link to a directory above it is not
// followed.
func TestLinksAreFollowed(t *testing.T) {
	for _, tt := range []struct {
		line           string
		stdout, stderr string
		status         int
	}{
		{line: "find t", stdout: "t t/a t/to t/up"},
		{line: "find -H s", stdout: "s s/in"},
		{line: "find -L t", stdout: "t t/a t/to t/to/in t/up", stderr: "'t/up': Too many levels of symbolic links", status: 1},
		{line: "find t -follow -name in", stdout: "t/to/in", stderr: "Too many levels", status: 1},
		{line: "find -L t -type d -name to", stdout: "t/to", stderr: "Too many levels", status: 1},
		{line: "find t -type d", stdout: "t"},
		{line: "find t -xtype d", stdout: "t t/to t/up"},
		{line: "find -L t/nothing -type l", stdout: "t/nothing"},
		{line: "du -a s", stdout: "0 s"},
		{line: "du -aH s", stdout: "4 s/in 8 s"},
		{line: "du -L t", stdout: "8 t/to 16 t"},
		{line: "ls -F t/", stdout: "a to@ up@"},
		{line: "ls -FL t", stdout: "a to/ up/"},
		{line: "ls -Fd s", stdout: "s@"},
		{line: "ls -FdH s", stdout: "s/"},
		{line: "cp -rL t copy", stderr: "cannot copy 't/up': Too many levels of symbolic links", status: 1},
		{line: "tar -cvhf x.tar t", stdout: "t/ t/a t/to/ t/to/in t/up/", stderr: "t/up: Cannot stat: Too many levels of symbolic links", status: 2},
		{line: "file s", stdout: "s: symbolic link to other"},
		{line: "file t/nothing", stdout: "t/nothing: broken symbolic link to missing"},
		{line: "file -L s", stdout: "s: directory"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"t/a", "other/in"} {
				if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte("text\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			links := map[string]string{"s": "other", "t/to": "../other", "t/up": "../t"}
			if strings.Contains(tt.line, "nothing") {
				links["t/nothing"] = "missing"
			}
			for link, target := range links {
				if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
					t.Fatal(err)
				}
			}
			var stdout, stderr bytes.Buffer
			status := runCommand(t.Context(), dir, strings.Fields(tt.line), strings.NewReader(""), &stdout, &stderr)
			got := strings.Join(strings.Fields(stdout.String()), " ")
			if status != tt.status || got != tt.stdout || !strings.Contains(stderr.String(), tt.stderr) || tt.stderr == "" && stderr.Len() > 0 {
				t.Errorf("status %d, stdout %q, stderr %q\nwant %d, %q, %q", status, got, &stderr, tt.status, tt.stdout, tt.stderr)
			}
		})
	}
}
