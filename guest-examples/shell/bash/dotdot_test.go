package bash

import (
	"os"
	"path/filepath"
	"testing"
)

// A ".." after a link is the parent of the directory that the link refers to, as in bash, except
// for cd.
func TestDotDotAfterLink(t *testing.T) {
	const text = `
cat < link/../x; cat there/link/../x; echo more >> link/../x; cat other/x
[ -f link/../only ] && echo found; [ -f link/../link ] || echo none; [ link/../x -ef other/x ] && echo same
echo link/../o* there/link/../*; echo 'echo sourced $1' > other/s; . link/../s a; bash link/../s b; chmod +x other/s; link/../s c
cd link; cat ../x ../only; echo ../o*; [ -f ../only ] && echo found; pwd | sed 's,.*/,,'
cd ..; ls x link; cd link/..; ls -d other; [ -d no/../other ] || echo no; cat < x/../x
`
	bash := systemBash(t)
	tree := func() string {
		dir := copyOfTree(t)
		for name, content := range map[string]string{"x": "top\n", "other/x": "here\n", "other/only": "only\n", "other/inner/x": "inner\n"} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir(filepath.Join(dir, "there"), 0o755); err != nil {
			t.Fatal(err)
		}
		for link, target := range map[string]string{"link": "other/inner", "there/link": "../other/inner"} {
			if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	want, wantErr := theirs(t, bash, tree(), text)
	if got, gotErr := ours(t, tree(), text); got != want {
		t.Errorf("got  %v\n%s\nwant %v\n%s", got, gotErr, want, wantErr)
	}
}
