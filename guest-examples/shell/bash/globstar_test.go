package bash

import (
	"os"
	"path/filepath"
	"testing"
)

// "**" does not enter links to directories, which may lead to a directory above.
func TestGlobstarEntersNoLinks(t *testing.T) {
	bash := systemBash(t)
	tree := func() string {
		dir := t.TempDir()
		for _, name := range []string{"d/sub", "e"} {
			if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"f", "d/f", "d/sub/f"} {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for link, target := range map[string]string{
			"here": ".", "d/here": ".", "d/up": "..", "d/sub/top": "../..", "l": "d", "lf": "d/f", "e/none": "none", "e/.l": "../d",
		} {
			if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
				t.Skip("no links here:", err)
			}
		}
		return dir
	}
	for _, pattern := range []string{
		"**", "**/", "**/f", "**/*", "d/**", "d/**/f", "./**/*", "./**/", "here/**/", "l/**", "here/**", "here/**/f", "l/*", "*/f", "**/sub/*", "**/up/f", "e/**/", "./**/f", "**/none", "*/",
	} {
		text := "shopt -s globstar\nprintf '%s\\n' " + pattern + "\nshopt -s dotglob\nprintf '%s\\n' " + pattern
		want, _ := theirs(t, bash, tree(), text)
		if got, message := ours(t, tree(), text); got != want {
			t.Errorf("%s\ngot  %d %q %s\nwant %d %q", pattern, got.status, got.stdout, message, want.status, want.stdout)
		}
	}
}
