package approvals

import (
	"bytes"
	"testing"
	"time"
)

func FuzzParse(f *testing.F) {
	a := Approval{Tool: "x", Key: NewKey("d", nil, nil), Scope: ScopeAlways, Created: time.Unix(1, 0).UTC()}
	a.ID = a.identify()
	line, err := format([]Approval{a, a})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add([]byte("{}\n"))
	f.Add([]byte("\n\n"))
	f.Add(bytes.ReplaceAll(line, []byte("always"), []byte("session")))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parse(data)
		if err != nil {
			return
		}
		for _, a := range list {
			if err := a.validate(); err != nil {
				t.Errorf("read an approval that cannot be written: %v", err)
			}
		}
		text, err := format(list)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parse(text)
		if err != nil || len(again) != len(list) {
			t.Errorf("%d became %d: %v", len(list), len(again), err)
		}
	})
}
