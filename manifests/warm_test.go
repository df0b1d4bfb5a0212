package manifests

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// warmHead is a manifest with parameters that ends inside [module].
const warmHead = head + `
parameters.type = "object"
parameters.properties.text = { type = "string" }
parameters.properties.limit = { type = "integer", default = 20 }
parameters.properties.scale = { type = "number" }
parameters.properties.deep = { type = "object", properties.mode = { type = "string", default = "fast" } }
[module]
path = "demo.wasm"
`

// A warm-up gets the same input as a call with the same arguments.
func TestDecodeWarm(t *testing.T) {
	for _, tc := range []struct{ keys, want string }{
		{``, ""},
		{`warm = {}`, `{"limit":20}`},
		{`warm = { text = "a<b", limit = 1_0 }`, `{"text":"a<b","limit":10}`},
		{"warm.text = \"x\"\nwarm.deep = {}", `{"text":"x","deep":{"mode":"fast"},"limit":20}`},
		{"[module.warm]\nscale = 1.500\nlimit = 0xff", `{"scale":1.500,"limit":255}`},
		// A warm-up accepts the same conversions as a call, such as a string for an integer.
		{`warm = { limit = "7", text = 12 }`, `{"limit":7,"text":"12"}`},
		{"warm = { text = \"two\\nlines\" }\nstdin = \"{text}\"", "two\nlines"},
		{"warm = {}\nstdin = \"{limit}\"", "20"},
		{"abi = \"reactor\"\nwarm = {}", `{"limit":20}`},
	} {
		m := mustDecode(t, warmHead+tc.keys)
		if string(m.Module.Warm) != tc.want || (m.Module.Warm == nil) != (tc.want == "") {
			t.Errorf("%s\ngives %q, want %q", tc.keys, m.Module.Warm, tc.want)
		}
	}
	m := mustDecode(t, minimal+"module.warm = {}")
	if string(m.Module.Warm) != "{}" {
		t.Errorf("without parameters: %q, want an empty object", m.Module.Warm)
	}
}

func TestDecodeInvalidWarm(t *testing.T) {
	line := strings.Count(warmHead, "\n") + 1
	for _, tc := range []struct{ keys, want string }{
		{`warm = "x"`, `1:8: module.warm: expected a table, got a string; write [module.warm] on a line of its own`},
		{`warm = { limit = "many" }`, `1:18: module.warm.limit: parameter "limit" must be an integer`},
		{`warm = { limt = 1 }`, `1:8: module.warm: the tool would not receive all arguments: parameter "limt" is not declared and was dropped; did you mean "limit"?`},
		{`warm = { deep = { mod = 1 } }`, `parameter "deep.mod" is not declared`},
		{`warm = { limit = +inf }`, `1:18: module.warm.limit: JSON has no +inf`},
		{`warm = { text = 2024-01-31T10:00:00Z }`, `1:17: module.warm.text: JSON has no dates and times; write a string: "2024-01-31T10:00:00Z"`},
		{"abi = \"command\"\nwarm = {}", `2:8: module.warm: a command has no warm-up; remove warm, or write abi = "reactor"`},
		{"warm = {}\nstdin = \"none\"", `1:8: module.warm: makes an empty input with stdin = "none"`},
		{"warm = {}\nstdin = \"{text}\"", `1:8: module.warm: makes an empty input with stdin = "{text}"`},
		{"warm = {}\nstdin = \"{txt}\"", `2:9: module.stdin: "{txt}" is not a parameter; did you mean "{text}"?`},
		{`warm = { text = "` + strings.Repeat("x", MaxWarmBytes) + `" }`, "1:8: module.warm: makes an input of 65558 bytes; the limit is 64KiB"},
		{`warn = {}`, `1:1: module.warn: unknown key; did you mean "warm"?`},
	} {
		_, err := Decode("tool.toml", []byte(warmHead+tc.keys))
		var errs Errors
		if !errors.As(err, &errs) || len(errs) != 1 {
			t.Errorf("%.80s\ngives %v\nwant one error with %s", tc.keys, err, tc.want)
			continue
		}
		e := errs[0]
		got := fmt.Sprintf("%d:%d: %s: %s", e.Line-line+1, e.Column, e.Key, e.Message)
		if !strings.Contains(got, tc.want) {
			t.Errorf("%.80s\ngives %s\nwant %s", tc.keys, got, tc.want)
		}
	}
}

// The arguments of a warm-up are checked against the parameters_file once it is read.
func TestLoadWarm(t *testing.T) {
	const schema = `{"type":"object","properties":{"limit":{"type":"integer","default":3},"note":{"type":["string","null"],"default":null}}}`
	for warm, want := range map[string]string{
		`{}`:                   `{"limit":3,"note":null}`,
		`{ limit = 7 }`:        `{"limit":7,"note":null}`,
		`{ limit = "x" }`:      `tool.toml:7:25: module.warm.limit: parameter "limit" must be an integer`,
		`{ note = 10:00:00 }`:  `tool.toml:7:24: module.warm.note: JSON has no dates and times`,
		`{ limit = 1, q = 1 }`: `tool.toml:7:15: module.warm: the tool would not receive all arguments: parameter "q" is not declared`,
	} {
		text := withModule("m.wasm") + "parameters_file = \"p.json\"\nmodule.warm = " + warm
		directory := openDirectory(t, tree{"tool.toml": text, "m.wasm": moduleBytes, "p.json": schema}.write(t))
		m, _, err := Load(directory, "tool.toml")
		got := ""
		if err == nil {
			got = string(m.Module.Warm)
		} else {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%s gives %s, want %s", warm, got, want)
		}
	}
	m := mustDecode(t, minimal+"parameters_file = \"p.json\"\nmodule.warm = { limit = \"x\" }")
	if m.Module.Warm != nil {
		t.Errorf("Decode alone gives %q, want nothing that was not checked", m.Module.Warm)
	}
}
