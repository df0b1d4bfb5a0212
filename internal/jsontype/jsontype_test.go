package jsontype

import (
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	for _, tt := range []struct {
		set  Set
		text string
	}{
		{0, "nothing"},
		{Any, "any"},
		{Number, "number"},
		{Integer, "integer"},
		{Fraction, "number"},
		{Null | Integer | String, "string or integer or null"},
		{Any &^ Fraction, "string or integer or boolean or array or object or null"},
	} {
		if got := tt.set.String(); got != tt.text {
			t.Errorf("%b: got %q, want %q", tt.set, got, tt.text)
		}
	}
	if got, want := Any.Names(), []string{"string", "number", "boolean", "array", "object", "null"}; !slices.Equal(got, want) {
		t.Errorf("any: got %q, want %q", got, want)
	}
}

func TestNamed(t *testing.T) {
	var all Set
	for _, name := range Names() {
		set := Named(name)
		if !slices.Contains(set.Names(), name) {
			t.Errorf("%s: got %v", name, set)
		}
		all |= set
	}
	if all != Any {
		t.Errorf("the names stand for %v", all)
	}
	for _, name := range []string{"", "any", "String"} {
		if got := Named(name); got != 0 {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
