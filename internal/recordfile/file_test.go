package recordfile

import (
	"path/filepath"
	"slices"
	"testing"
)

// Stores of different kinds may share a directory. What they have in common with
// approvals is tested there.
func TestKindsShareADirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	first, err := Open(dir, notes())
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	other := notes()
	other.Name = "others"
	second, err := Open(dir, other)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
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
	for f, want := range map[*File[note]]string{first: "one", second: "two"} {
		if list, err := f.Read(t.Context()); err != nil || !slices.Equal(list, []note{{want}}) {
			t.Errorf("got %v, %v, want %s", list, err, want)
		}
	}
}
