package remembered

import (
	"path/filepath"
	"slices"
	"testing"
)

// Files of different kinds share a directory.
func TestKindsShareADirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	root, err := openRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	other := notes()
	other.name = "others"
	first, second := &file[note]{root, notes()}, &file[note]{root, other}
	add := func(text string) func([]note) []note {
		return func(list []note) []note { return append(list, note{text}) }
	}
	if err := first.Change(t.Context(), add("one")); err != nil {
		t.Fatal(err)
	}
	if err := second.Change(t.Context(), add("two")); err != nil {
		t.Fatal(err)
	}
	if err := first.Change(t.Context(), add("")); err == nil {
		t.Error("a record that does not hold is written")
	}
	for f, want := range map[*file[note]]string{first: "one", second: "two"} {
		if list, err := f.Read(t.Context()); err != nil || !slices.Equal(list, []note{{want}}) {
			t.Errorf("got %v, %v, want %s", list, err, want)
		}
	}
}
