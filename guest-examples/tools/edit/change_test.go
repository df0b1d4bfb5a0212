package edit

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// Applying the composed changes to the first text gives the last text.
func TestCompose(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		first := make([]byte, random.IntN(60))
		for i := range first {
			first[i] = "ab\n"[random.IntN(3)]
		}
		now := first
		var all []change
		for range 4 {
			old := []string{"a", "b", "\n", "ab", "ba"}[random.IntN(5)]
			replacement := []string{"", "a", "bb", "\na\n", "abab"}[random.IntN(5)]
			v := newView(now, false)
			edited, changes, err := replacing(v, old, replacement).splice()
			if err != nil {
				t.Fatal(err)
			}
			now, all = edited, compose(all, changes)
		}
		var got []byte
		at := 0
		for _, c := range all {
			if c.old.start < at {
				t.Fatalf("%v overlap or are out of order", all)
			}
			got = append(got, first[at:c.old.start]...)
			if len(got) != c.new.start {
				t.Fatalf("%v: a change begins at %d of the last text, not at %d", all, len(got), c.new.start)
			}
			got = append(got, now[c.new.start:c.new.end]...)
			at = c.old.end
		}
		if got = append(got, first[at:]...); !bytes.Equal(got, now) {
			t.Fatalf("%q became %q, and %v gives %q", first, now, all, got)
		}
	}
}

func replacing(v view, old, replacementText string) replacement {
	return replacement{search: v.search([]byte(old)), insert: newInsertion(v, old, replacementText)}
}

func TestApply_several(t *testing.T) {
	label := func(i int) string { return "edits[" + string(rune('0'+i)) + "]: " }
	data := []byte("a\r\n" + strings.Repeat("x\r\n", 20) + "b\r\n")
	done, err := Apply(data, "f", []Edit{{"a", "c\nd", false}, {"b", "e", false}, {"d\n", "", false}}, label)
	if err != nil {
		t.Fatal(err)
	}
	if want := "c\r\n" + strings.Repeat("x\r\n", 20) + "e\r\n"; string(done.Content) != want {
		t.Errorf("got %q, want %q", done.Content, want)
	}
	want := "edited f: 3 edits, 3 replacements\n--- f\n+++ f\n@@ -1,4 +1,4 @@\n-a\n+c\n x\n x\n x\n@@ -19,4 +19,4 @@\n x\n x\n x\n-b\n+e\n"
	if got := string(done.Report("f", 3)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, test := range []struct {
		edits []Edit
		want  string
	}{
		{[]Edit{{"a", "b", false}, {"a", "c", false}}, "edits[1]: old_string is not in f"},
		{[]Edit{{"a", "q", false}, {"q", "a", false}}, "f would not change: the edits undo each other"},
		{[]Edit{{"", "q", false}}, "edits[0]: old_string is empty"},
		{[]Edit{{"a", "a", false}}, "edits[0]: new_string is the same"},
	} {
		if _, err := Apply(data, "f", test.edits, label); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: got %v, want %s", test.edits, err, test.want)
		}
	}
}
