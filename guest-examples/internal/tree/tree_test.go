package tree

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestJSON_keepsWhatIsWritten(t *testing.T) {
	for text, want := range map[string]string{
		`{ "b" : [ 1.10 , 9007199254740993, -0, 1e400 ], "a" : { } }`: `{"b":[1.10,9007199254740993,-0,1e400],"a":{}}`,
		`[null,true,false,"<é\u0000\"\u00fc>"]`:                       `[null,true,false,"<é\u0000\"ü>"]`,
		`[]`:                                                          `[]`,
	} {
		value, err := ParseJSON([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := string(JSON{Max: 1000}.Append(nil, value)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestJSON_indent(t *testing.T) {
	value := Value{Kind: Object, Members: []Member{
		{"a", Value{Kind: List, Items: []Value{Text("x"), {}}}},
		{"b", Value{Kind: List}},
	}}
	want := "{\n  \"a\": [\n    \"x\",\n    null\n  ],\n  \"b\": []\n}"
	if got := string(JSON{Indent: 2, Max: 1000}.Append(nil, value)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestJSON_endsAtItsMaximum(t *testing.T) {
	value := Value{Kind: List, Items: make([]Value, 100_000)}
	for range MaxDepth {
		value = Value{Kind: List, Items: []Value{value}}
	}
	if got := len(JSON{Indent: 8, Max: 10_000}.Append(nil, value)); got < 10_000 || got > 1_000_000 {
		t.Errorf("got %d bytes", got)
	}
}

func TestParser_endsAtItsMaximum(t *testing.T) {
	for text, want := range map[string]error{`[1,{"a":2}]`: nil, `[1,{"a":2},3]`: ErrSize} {
		p := &parser{Decoder: json.NewDecoder(strings.NewReader(text)), left: 4}
		if _, err := p.value(0); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", text, err, want)
		}
	}
}
