package plainjson

import "testing"

func TestEncode(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  string
	}{
		{"<a href=\"x\">&\u2028", `"<a href=\"x\">&\u2028"`},
		{"a line\n", `"a line\n"`},
		{"\xff", `"\ufffd"`},
		{map[string]any{"b": nil, "a": []int{1}}, `{"a":[1],"b":null}`},
	} {
		got, err := Encode(tt.value)
		if err != nil || string(got) != tt.want {
			t.Errorf("Encode(%q): got %s, %v, want %s", tt.value, got, err, tt.want)
		}
		if text, isText := tt.value.(string); isText && string(String(text)) != tt.want {
			t.Errorf("String(%q): got %s, want %s", text, String(text), tt.want)
		}
	}
	if got, err := Encode(func() {}); err == nil {
		t.Errorf("a function: got %s", got)
	}
}

func TestIndented(t *testing.T) {
	got, err := Indented(map[string]string{"a": "<"})
	if want := "{\n  \"a\": \"<\"\n}\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if got, err := Indented(func() {}); err == nil {
		t.Errorf("a function: got %s", got)
	}
}

func TestIsIn(t *testing.T) {
	for _, tt := range []struct {
		value string
		texts []string
		want  bool
	}{
		{`{"a": [1, 2]}`, []string{"a note", "{\n\"a\":[1,2]}"}, true},
		{`{"a":1,"b":2}`, []string{`{"b":2,"a":1}`}, false},
		{`" a"`, []string{`"a"`}, false},
		{`1`, []string{`1.0`}, false},
		{`1`, nil, false},
		{`{`, []string{`{`}, false},
		{``, []string{``}, false},
	} {
		if got := IsIn([]byte(tt.value), tt.texts...); got != tt.want {
			t.Errorf("IsIn(%s, %q): got %v", tt.value, tt.texts, got)
		}
	}
}
