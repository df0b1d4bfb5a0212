package registry

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A remembered grant covers the directory that the path of a mount led to when the grant was made.
// Changing a link afterwards does not let the tool write to another directory. If the mount gets
// another path, the grant covers the directory of that path, because a grant names mounts.
func TestGrantIsForTheDirectoryOfItsPath(t *testing.T) {
	first, second, link := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "link")
	turn := func(dir string) {
		t.Helper()
		_ = os.Remove(link)
		if err := os.Symlink(dir, link); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	turn(first)
	for name, g := range map[string]remembered.Grant{
		"words":        {Permissions: all},
		"auto_execute": {Permissions: all, AutoExecute: true},
	} {
		turn(first)
		r, executor, store := remembering(t, asking(), Rules{})
		bind := func(dir string) { r.SetRules(bound(Rules{}, dir)) }
		bind(link)
		directories, err := r.Directories(t.Context(), "echo", "")
		if err != nil || len(directories) != 1 || directories[0].Path != link {
			t.Fatalf("%s: got %v, %v", name, directories, err)
		}
		g.Tool, g.Digest, g.Directories = "echo", "sha256:one", directories
		give(t, store.Grants, g)
		if err := callAs(t, r, ""); err != nil {
			t.Errorf("%s: the directory that it was granted for: %v", name, err)
		}
		if granted := executor.ran.FS; len(granted) != 1 || granted[0].Is == nil {
			t.Errorf("%s: the opened directory is not compared: %v", name, granted)
		}
		turn(second)
		e := wantCode(t, callAs(t, r, ""), tool.CodePermissionDenied)
		if !strings.Contains(e.Message, "now leads to a different directory") || strings.Contains(e.Message, link) {
			t.Errorf("%s: %v", name, e)
		}
		if offered, err := r.Access(t.Context(), "echo", ""); err != nil || !slices.Equal(capability.Strings(offered.Moved), sortedCopy(all)) || offered.Granted.AutoExecute {
			t.Errorf("%s: offered %+v, %v", name, offered, err)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
		wantCode(t, callAs(t, r, ""), tool.CodePermissionDenied)
		turn(first)
		if err := callAs(t, r, ""); err != nil {
			t.Errorf("%s: turned back: %v", name, err)
		}
		bind(second)
		if err := callAs(t, r, ""); err != nil {
			t.Errorf("%s: another workspace: %v", name, err)
		}
		turn(second)
		bind(link)
		given := give(t, store.Grants, remembered.Grant{Tool: "echo", Digest: "sha256:one", Permissions: all, Directories: mustDirectories(t, r)})
		if len(given.Directories) != 1 {
			t.Errorf("%s: granted again for %v", name, given.Directories)
		}
		if err := callAs(t, r, ""); err != nil {
			t.Errorf("%s: granted again: %v", name, err)
		}
	}
}

func mustDirectories(t *testing.T, r *Registry) []remembered.Directory {
	t.Helper()
	directories, err := r.Directories(t.Context(), "echo", "")
	if err != nil {
		t.Fatal(err)
	}
	return directories
}

func sortedCopy(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}
