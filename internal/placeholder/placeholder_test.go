package placeholder

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestTemplate(t *testing.T) {
	values := map[string]string{"a": "{b}", "b": "", "long name": "x"}
	value := func(name string) (string, bool) {
		text, ok := values[name]
		return text, ok
	}
	for _, tc := range []struct {
		source     string
		parameters []string
		want       string
		ok         bool
	}{
		{"", nil, "", true},
		{"plain", nil, "plain", true},
		{"{a}", []string{"a"}, "{b}", true},
		{"--x={a}{b}.", []string{"a", "b"}, "--x={b}.", true},
		{"{a}{a}", []string{"a"}, "{b}{b}", true},
		{"{{a}}", nil, "{a}", true},
		{"{{{a}}}", []string{"a"}, "{{b}}", true},
		{"{{}}", nil, "{}", true},
		{"{long name}", []string{"long name"}, "x", true},
		{"{a}{absent}", []string{"a", "absent"}, "", false},
	} {
		template, err := Parse(tc.source)
		if err != nil {
			t.Errorf("Parse(%q): %v", tc.source, err)
			continue
		}
		if got := template.Parameters(); !reflect.DeepEqual(got, tc.parameters) {
			t.Errorf("%q names %q, want %q", tc.source, got, tc.parameters)
		}
		got, err := template.Expand(1000, value)
		if got != tc.want || (err == nil) != tc.ok || (!tc.ok && !errors.Is(err, ErrAbsent)) {
			t.Errorf("%q expands to %q, %v, want %q, %v", tc.source, got, err, tc.want, tc.ok)
		}
		if _, err := template.Expand(len(tc.want), value); tc.ok && err != nil {
			t.Errorf("%q does not expand to just %d bytes: %v", tc.source, len(tc.want), err)
		}
		if _, err := template.Expand(len(tc.want)-1, value); tc.ok && !errors.Is(err, ErrTooLong) && tc.want != "" {
			t.Errorf("%q expands to less than %d bytes: %v", tc.source, len(tc.want), err)
		}
		if template.String() != tc.source {
			t.Errorf("String() = %q, want %q", template.String(), tc.source)
		}
	}
	for source, want := range map[string]string{
		"{":      "without its",
		"a{b":    "without its",
		"{a{b}}": "without its",
		"}":      "a single",
		"{a}}":   "a single",
		"{}":     "names no parameter",
		"{ }":    "names no parameter",
	} {
		if template, err := Parse(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %v, %v, want an error with %q", source, template, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "{a}", "{{a}}", "{{{a}}}", "}", "x{", "é{ñ}\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		template, err := Parse(source)
		if err != nil {
			return
		}
		// A template that is written again from its placeholders and its text, with the braces of
		// the text doubled, must be equivalent.
		escape := strings.NewReplacer("{", "{{", "}", "}}")
		var again strings.Builder
		for i, part := range template.parts {
			if i%2 == 0 {
				again.WriteString(escape.Replace(part))
			} else {
				again.WriteString("{" + part + "}")
			}
		}
		if again.String() != source {
			t.Errorf("%q reads as %q", source, again.String())
		}
	})
}

func TestLeading(t *testing.T) {
	for source, want := range map[string]struct {
		text string
		all  bool
	}{
		"":            {"", true},
		"/a":          {"/a", true},
		"/{{a}}/b":    {"/{a}/b", true},
		"{a}":         {"", false},
		"/a/{b}":      {"/a/", false},
		"/a/{b}/c{d}": {"/a/", false},
	} {
		template, err := Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		if text, all := template.Leading(); text != want.text || all != want.all {
			t.Errorf("%q leads with %q, %v; want %q, %v", source, text, all, want.text, want.all)
		}
	}
}
