package results

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/registry/internal/reference"
	"github.com/wasmtool/wasmtool/registry/tool"
)

var me = Owner{Tenant: "t", Session: "s"}

func keep(t *testing.T, s *Store, owner Owner, text string) string {
	t.Helper()
	handle, ok := s.Keep(owner, text)
	if !ok {
		t.Fatalf("%d bytes were not stored", len(text))
	}
	return handle
}

func wantGone(t *testing.T, s *Store, owner Owner, handle string) {
	t.Helper()
	if text, err := s.Text(owner, handle); tool.CodeOf(err) != tool.CodeNotFound {
		t.Errorf("%s: got %d bytes, %v", handle, len(text), err)
	}
}

func TestTextsAreReadableOnlyByTheirOwner(t *testing.T) {
	s := NewStore(Options{})
	handle := keep(t, s, me, "mine")
	if text, err := s.Text(me, handle); err != nil || text != "mine" {
		t.Errorf("got %q, %v", text, err)
	}
	for _, other := range []Owner{{}, {Tenant: "t"}, {Session: "s"}, {Tenant: "s", Session: "t"}} {
		wantGone(t, s, other, handle)
		if _, err := s.Read(other, handle, 0, 0); tool.CodeOf(err) != tool.CodeNotFound {
			t.Errorf("%v can read it: %v", other, err)
		}
	}
	wantGone(t, s, me, handle+"x")
	if other := keep(t, s, me, "mine"); other == handle {
		t.Error("two texts have the same handle")
	}
	s.Forget(Owner{Tenant: "t"})
	if _, err := s.Text(me, handle); err != nil {
		t.Error("it was deleted with another session")
	}
	s.Forget(me)
	wantGone(t, s, me, handle)
}

func TestStoredTextsAreBounded(t *testing.T) {
	s := NewStore(Options{MaxTexts: 3, MaxBytes: 100, MaxTotalBytes: 250 + 5*overhead})
	if _, ok := s.Keep(me, strings.Repeat("x", 101)); ok {
		t.Error("a text of more than MaxBytes was stored")
	}
	var handles []string
	for range 4 {
		handles = append(handles, keep(t, s, me, "x"))
	}
	wantGone(t, s, me, handles[0])
	large := keep(t, s, me, strings.Repeat("x", 99))
	wantGone(t, s, me, handles[2])
	if _, err := s.Text(me, handles[3]); err != nil {
		t.Errorf("the newest text was removed: %v", err)
	}
	// A tenant with many sessions displaces its own texts, not texts of other tenants.
	var flood []string
	for i := range 20 {
		flood = append(flood, keep(t, s, Owner{Tenant: "flood", Session: fmt.Sprint(i)}, strings.Repeat("y", 50)))
	}
	if _, err := s.Text(me, large); err != nil {
		t.Errorf("another tenant displaced it: %v", err)
	}
	wantGone(t, s, Owner{Tenant: "flood", Session: "0"}, flood[0])
	if _, err := s.Text(Owner{Tenant: "flood", Session: "19"}, flood[19]); err != nil {
		t.Error(err)
	}
	if s.bytes > 250+5*overhead {
		t.Errorf("%d bytes are stored", s.bytes)
	}
	for i := range 20 {
		s.Forget(Owner{Tenant: "flood", Session: fmt.Sprint(i)})
	}
	s.Forget(me)
	if s.bytes != 0 || len(s.texts)+len(s.owners)+len(s.tenants) != 0 {
		t.Errorf("after all were deleted: %d bytes, %d texts, %d owners, %d tenants", s.bytes, len(s.texts), len(s.owners), len(s.tenants))
	}
}

// The size of a text includes the overhead of storing it.
func TestShortTextsCountWithOverhead(t *testing.T) {
	s := NewStore(Options{MaxTotalBytes: 10 * overhead})
	for i := range 1000 {
		s.Keep(Owner{Tenant: "t", Session: fmt.Sprint(i)}, "")
	}
	if len(s.texts) != 10 || len(s.owners) != 10 {
		t.Errorf("%d texts of %d owners are stored", len(s.texts), len(s.owners))
	}
}

func TestStoreIsConcurrent(t *testing.T) {
	s := NewStore(Options{MaxTexts: 4, MaxTotalBytes: 1000 + 10*overhead})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			owner := Owner{Tenant: fmt.Sprint(i % 4)}
			for range 100 {
				if handle, ok := s.Keep(owner, strings.Repeat("x", 90)); ok {
					_, _ = s.Read(owner, handle, 0, 0)
				}
			}
			s.Forget(owner)
		})
	}
	all.Wait()
	if s.bytes != 0 {
		t.Errorf("%d bytes are left", s.bytes)
	}
}

func TestReadReturnsAllCharactersWhole(t *testing.T) {
	s := NewStore(Options{})
	text := strings.Repeat("añ日🎉", 50)
	handle := keep(t, s, me, text)
	for _, limit := range []int{1, 2, 3, 4, 7, 1000} {
		var got strings.Builder
		pages := 0
		for at := 0; at < len(text); {
			page, err := s.Read(me, handle, at, limit)
			if err != nil || !utf8.ValidString(page.Text) || page.Offset != at || page.Next <= at || page.Total != len(text) {
				t.Fatalf("limit %d at %d: got %+v, %v", limit, at, page, err)
			}
			got.WriteString(page.Text)
			at = page.Next
			pages++
		}
		if got.String() != text {
			t.Errorf("limit %d: the pages are not the text", limit)
		}
	}
	for _, offset := range []int{-5, 2, len(text), len(text) + 5} {
		page, err := s.Read(me, handle, offset, 4)
		if err != nil || !utf8.ValidString(page.Text) {
			t.Errorf("at %d: got %+v, %v", offset, page, err)
		}
	}
	if page, err := s.Read(me, handle, len(text), 0); err != nil || page.Text != "" || page.Next != len(text) {
		t.Errorf("at the end: got %+v, %v", page, err)
	}
}

func TestShorten(t *testing.T) {
	tests := []struct {
		text         string
		limit        int
		head, tail   string
		bytes, lines int
	}{
		{"abcdefghijkl", 6, "abcd", "kl", 6, 0},
		{"ab\ncd\nef\ngh\nij", 6, "ab\nc", "ij", 8, 3},
		{"ññññññ", 6, "ññ", "ñ", 6, 0},
		{"ñññññ", 5, "ññ", "", 6, 0}, // the end has one byte, which is too short for a character
		{"日本語", 1, "", "", 9, 0},
		{"abc", 0, "", "", 3, 0},
		{"abc", -1, "", "", 3, 0},
	}
	for _, tt := range tests {
		got, cut := Shorten(tt.text, tt.limit)
		want := Short{Head: tt.head, Tail: tt.tail, Bytes: tt.bytes, Lines: tt.lines, Total: len(tt.text)}
		if !cut || got != want {
			t.Errorf("%q to %d: got %+v, want %+v", tt.text, tt.limit, got, want)
		}
	}
	for _, text := range []string{"", "abc"} {
		if _, cut := Shorten(text, 3); cut {
			t.Errorf("%q was cut", text)
		}
	}
}

func FuzzShorten(f *testing.F) {
	f.Add("añ日🎉\nabc", 5)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		got, cut := Shorten(text, limit)
		if !cut {
			return
		}
		left := text[len(got.Head) : len(text)-len(got.Tail)]
		if !strings.HasPrefix(text, got.Head) || !strings.HasSuffix(text, got.Tail) || len(left) != got.Bytes || strings.Count(left, "\n") != got.Lines {
			t.Errorf("%q to %d: %+v", text, limit, got)
		}
		if utf8.ValidString(text) && !(utf8.ValidString(got.Head) && utf8.ValidString(got.Tail)) {
			t.Errorf("%q to %d: half a character in %+v", text, limit, got)
		}
		if len(got.Head)+len(got.Tail) > max(limit, 0) {
			t.Errorf("%q to %d: too long %+v", text, limit, got)
		}
	})
}

func TestShares(t *testing.T) {
	for _, tt := range []struct {
		lengths []int
		limit   int
		want    []int
	}{
		{nil, 5, []int{}},
		{[]int{3, 100, 2, 100}, 25, []int{3, 10, 2, 10}},
		{[]int{1, 2}, 100, []int{1, 2}},
		{[]int{9, 9}, 0, []int{0, 0}},
	} {
		if got := Shares(tt.lengths, tt.limit); !slices.Equal(got, tt.want) {
			t.Errorf("%v of %d: got %v, want %v", tt.lengths, tt.limit, got, tt.want)
		}
	}
}

// expand replaces handles with their texts, as the registry does.
func expand(s *Store, owner Owner, arguments string) (json.RawMessage, error) {
	return reference.Expand(json.RawMessage(arguments), reference.Rules{
		Whole: func(name string) (string, bool, error) { return s.Lookup(owner, name) },
		Keeps: func(string) bool { return false },
	})
}

func TestExpand(t *testing.T) {
	s := NewStore(Options{})
	text := "line\n\"quoted\" \\ ${result_AAAAAAAAAAAAAAAAAAAAAAAAAA} <é>"
	handle := keep(t, s, me, text)
	ref := `"${` + handle + `}"`
	quoted := `"line\n\"quoted\" \\ ${result_AAAAAAAAAAAAAAAAAAAAAAAAAA} <é>"`
	tests := []struct{ name, arguments, want string }{
		{"no reference", `{"a":1.10}`, `{"a":1.10}`},
		{"a value", `{"n":1.10, "a" : ` + ref + ` }`, `{"n":1.10,"a":` + quoted + `}`},
		{"a nested value", `{"a":[` + ref + `,{"b":` + ref + `}]}`, `{"a":[` + quoted + `,{"b":` + quoted + `}]}`},
		{"the name of a field", `{` + ref + ` :1}`, `{` + ref + ` :1}`},
		{"part of a string", `{"a":"x${` + handle + `}"}`, `{"a":"x${` + handle + `}"}`},
		{"quoted in a string", `{"a":"say \"${` + handle + `}\""}`, `{"a":"say \"${` + handle + `}\""}`},
		{"the end of a string", `{"a":"\\\"${` + handle + `}"}`, `{"a":"\\\"${` + handle + `}"}`},
		{"the handle alone", `{"a":"` + handle + `"}`, `{"a":"` + handle + `"}`},
		{"not JSON", `{"a":` + ref, `{"a":` + ref},
		{"nothing", ``, ``},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := expand(s, me, tt.arguments)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
	if _, err := expand(s, Owner{Tenant: "other", Session: "s"}, `{"a":`+ref+`}`); tool.CodeOf(err) != tool.CodeInvalidArgument {
		t.Errorf("for another tenant: %v", err)
	}
	large := `"${` + keep(t, s, me, strings.Repeat("x", 3<<20)) + `}"`
	if _, err := expand(s, me, `{"a":[`+large+`,`+large+`,`+large+`]}`); tool.CodeOf(err) != tool.CodeInvalidArgument {
		t.Errorf("arguments of 9 MiB: %v", err)
	}
}

func FuzzExpand(f *testing.F) {
	f.Add(`{"a":"REF","REF":["REF","xREF","\"REF"]}`)
	f.Fuzz(func(t *testing.T, arguments string) {
		s := NewStore(Options{})
		handle, _ := s.Keep(me, "the \" text")
		arguments = strings.ReplaceAll(arguments, "REF", "${"+handle+"}")
		got, err := expand(s, me, arguments)
		if err != nil {
			t.Skip() // the arguments have a different reference
		}
		var before, after any
		if json.Unmarshal([]byte(arguments), &before) != nil {
			if string(got) != arguments {
				t.Errorf("%s: invalid JSON became %s", arguments, got)
			}
			return
		}
		if err := json.Unmarshal(got, &after); err != nil {
			t.Fatalf("%s became %s: %v", arguments, got, err)
		}
		if want := replaced(before, "${"+handle+"}"); string(got) != arguments && fmt.Sprint(after) != fmt.Sprint(want) {
			t.Errorf("%s became %s, want %v", arguments, got, want)
		}
	})
}

// replaced is a slow reference implementation of expand on a parsed value.
func replaced(v any, reference string) any {
	switch v := v.(type) {
	case string:
		if v == reference {
			return "the \" text"
		}
	case []any:
		for i := range v {
			v[i] = replaced(v[i], reference)
		}
	case map[string]any:
		for name := range v {
			v[name] = replaced(v[name], reference)
		}
	}
	return v
}
