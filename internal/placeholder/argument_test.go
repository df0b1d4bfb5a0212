package placeholder

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestArgument(t *testing.T) {
	values := map[string]string{"files": ` ["a b", "-c", 1e2 , null, "\u00e9"]`, "none": "[]", "on": "true", "off": "false", "a": "x"}
	value := func(name string) (string, bool) {
		text, ok := values[name]
		return text, ok
	}
	for _, tc := range []struct {
		source, parameter, kind string
		want                    []string
	}{
		{"plain", "", "", []string{"plain"}},
		{"", "", "", []string{""}},
		{"--x={a}", "a", "", []string{"--x=x"}},
		{"{absent}", "absent", "", nil},
		{"{files...}", "files", "array", []string{"a b", "-c", "1e2", "null", "é"}},
		{"{none...}", "none", "array", []string{}},
		{"{absent...}", "absent", "array", nil},
		{"{a...}", "a", "array", []string{"x"}},
		{"{on?--all}", "on", "boolean", []string{"--all"}},
		{"{on?-x?...}", "on?-x?", "array", nil},
		{"{off?--all}", "off", "boolean", nil},
		{"{absent?--all}", "absent", "boolean", nil},
		{"{{on?--all}}", "", "", []string{"{on?--all}"}},
	} {
		a, err := ParseArgument(tc.source)
		if err != nil {
			t.Errorf("ParseArgument(%q): %v", tc.source, err)
			continue
		}
		if got := strings.Join(a.Parameters(), ","); got != tc.parameter || a.Type() != tc.kind || a.String() != tc.source {
			t.Errorf("%q names %q of type %q, and prints %q", tc.source, got, a.Type(), a.String())
		}
		if got, err := a.ExpandAll(1000, value); err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%q makes %q, %v, want %q", tc.source, got, err, tc.want)
		}
	}
	for source, want := range map[string]string{"{...}": "names no parameter", "{?-a}": "names no parameter", "{a?}": "no text after", "{a...": "without its", "x{a}}": "a single"} {
		if _, err := ParseArgument(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseArgument(%q): %v, want %q", source, err, want)
		}
	}
	a, err := ParseArgument("{files...}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.ExpandAll(5, value); !errors.Is(err, ErrTooLong) {
		t.Errorf("a list that is too long: %v", err)
	}
}
