package remembered

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// note is a record for tests.
type note struct {
	Text string `json:"text"`
}

func notes() kind[note] {
	return kind[note]{name: "notes", holds: "noted", check: func(n note) error {
		if n.Text == "" {
			return errors.New("it says nothing")
		}
		return nil
	}}
}

func FuzzParse(f *testing.F) {
	kind := notes()
	lines, err := kind.format([]note{{"a"}, {"b"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(lines)
	f.Add([]byte("{}\n"))
	f.Add([]byte("\n\n"))
	f.Add(bytes.ReplaceAll(lines, []byte("text"), []byte("next")))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := kind.parse("notes.jsonl", data)
		if err != nil {
			return
		}
		text, err := kind.format(list)
		if err != nil {
			t.Fatalf("read what cannot be written: %v", err)
		}
		again, err := kind.parse("notes.jsonl", text)
		if err != nil || !slices.Equal(again, list) {
			t.Errorf("%v became %v: %v", list, again, err)
		}
	})
}
