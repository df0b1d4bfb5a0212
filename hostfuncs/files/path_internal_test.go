package files

import (
	"path"
	"strings"
	"testing"
)

// FuzzResolve checks that no guest path panics, keeps an element that leads upwards, or is resolved
// to a mount that does not contain it.
func FuzzResolve(f *testing.F) {
	for _, name := range []string{
		"", ".", "/", "//", "./a", "a//b", "a/../../x", "../x", "/../x", "/etc/passwd", "a/", "a/.", "a/..",
		"...", "a/.../b", "\x00", "\xff", `..\x`, `a\..\..\b`, "C:\\", "con", "workspace", "/workspace/../data", "/workspace-evil/x",
		"mnt/in/data/x", strings.Repeat("../", 50), strings.Repeat("a/", 300), strings.Repeat("é", 200),
	} {
		f.Add("/", name)
		f.Add("/workspace", name)
	}
	mounts := []*mount{{name: "workspace", at: "/workspace"}, {name: "data", at: "/mnt/in/data"}}
	files := &FS{mounts: mounts, tree: newTree(mounts)}
	f.Fuzz(func(t *testing.T, prefix, name string) {
		view := files.View(prefix)
		p, err := files.resolve(view.at, name)
		if err != nil {
			if p.mount != nil && err != guestError(err) {
				t.Errorf("an error of no known kind: %v", err)
			}
			return
		}
		if p.guest != path.Clean(p.guest) || !path.IsAbs(p.guest) {
			t.Errorf("%q is not clean", p.guest)
		}
		if _, inView := below(view.at, p.guest); !inView {
			t.Errorf("%q in %q leads out to %q", name, view.at, p.guest)
		}
		if (p.mount == nil) == (p.dir == nil) {
			t.Fatalf("%q is in a mount and synthetic, or neither", p.guest)
		}
		if p.mount == nil {
			return
		}
		if path.Join(p.mount.at, p.rel) != p.guest {
			t.Errorf("%q is not %q in %q", p.guest, p.rel, p.mount.at)
		}
		for elem := range strings.SplitSeq(p.rel, "/") {
			if elem == "" || elem == ".." || len(elem) > maxNameBytes || strings.Contains(elem, "\x00") || (elem == "." && p.rel != ".") {
				t.Errorf("%q keeps the element %q", p.rel, elem)
			}
		}
	})
}

func TestBelowComparesWholeElements(t *testing.T) {
	for _, test := range []struct {
		at, guest, rel string
		ok             bool
	}{
		{"/data", "/data", ".", true},
		{"/data", "/data/x/y", "x/y", true},
		{"/data", "/data-evil/x", "", false},
		{"/data", "/dat", "", false},
		{"/data", "/", "", false},
		{"/", "/", ".", true},
		{"/", "/x", "x", true},
	} {
		if rel, ok := below(test.at, test.guest); rel != test.rel || ok != test.ok {
			t.Errorf("below(%q, %q): %q, %v", test.at, test.guest, rel, ok)
		}
	}
}
