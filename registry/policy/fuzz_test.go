package policy_test

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/policy"
)

func FuzzCompile(f *testing.F) {
	f.Add("coding", "group:fs", "write:*", "/path", "**/.env", `a|b`, `1`, "/workspace")
	f.Add("", "b*sh", "net:GET:https://**.corp:*/x/**", "/a/*/~1", "{a,b}/[c-d]", `\Qx`, `{"a":[null]}`, "/")
	f.Add("full", "bash", "net-private:[::1]", "", "/", `(`, `1e99`, "x")
	f.Fuzz(func(t *testing.T, profile, entry, word, pointer, glob, re, equals, base string) {
		c := policy.Config{Profile: profile, Allow: []string{entry}, Deny: []string{entry}, Base: base, Tools: map[string]policy.ToolRule{entry: {AutoExecute: true}}}
		for _, m := range []policy.Match{{Glob: glob}, {Prefix: glob}, {Regexp: re}, {Equals: json.RawMessage(equals)}} {
			c.Rules = append(c.Rules, policy.Rule{Effect: policy.Ask, Capabilities: []string{word}, Arguments: map[string]policy.Match{pointer: m}})
		}
		p, err := policy.Compile(c, known)
		if (p == nil) != (err != nil) {
			t.Fatalf("%v, %v", p, err)
		}
		// Compile each part alone, so that one error does not hide the others.
		for _, single := range []policy.Config{{Profile: profile}, {Allow: []string{entry}}, {Deny: []string{entry}}, {Base: base, Rules: c.Rules}} {
			p, err := policy.Compile(single, known)
			if err == nil {
				_ = p.Explain(issues, policy.CallFacts{Capabilities: words(word), Arguments: json.RawMessage(`{"a":"b"}`)}).String()
			}
		}
	})
}

// FuzzDecide uses a simple model of paths. It checks that no call evades a deny rule, and that an
// allow rule allows nothing that it does not cover.
func FuzzDecide(f *testing.F) {
	deny, err := policy.Compile(policy.Config{Rules: []policy.Rule{{Arguments: map[string]policy.Match{"/path": {Glob: "**/.env"}}}}}, known)
	if err != nil {
		f.Fatal(err)
	}
	allow, err := policy.Compile(policy.Config{Rules: []policy.Rule{{Effect: policy.Allow, Arguments: map[string]policy.Match{"/path": {Prefix: "src"}}}}}, known)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"a/../.env", "src/a", "src/%2e%2e/x", `src\..\x`, ".env::$DATA", "\u212aelvin/.ENV", "src/\x00"} {
		f.Add(seed, "net:https://a.example/")
	}
	f.Fuzz(func(t *testing.T, text, word string) {
		args := json.RawMessage(pathArgument(text))
		facts := policy.CallFacts{Capabilities: words(word, "write:a"), Arguments: args}
		var decoded struct{ Path string }
		if err := json.Unmarshal(args, &decoded); err != nil {
			t.Fatal(err)
		}
		full := path.Join("/workspace", decoded.Path)
		if strings.HasPrefix(decoded.Path, "/") {
			full = path.Clean(decoded.Path)
		}
		if strings.EqualFold(path.Base(full), ".env") && deny.Decide(issues, facts).Effect != policy.Deny {
			t.Errorf("%q is not denied", decoded.Path)
		}
		inside := full == "/workspace/src" || strings.HasPrefix(full, "/workspace/src/")
		if !inside && allow.Decide(issues, facts).Effect == policy.Allow {
			t.Errorf("%q is allowed", decoded.Path)
		}
		raw := policy.CallFacts{Capabilities: words(word), Arguments: json.RawMessage(text)}
		_ = deny.Decide(issues, raw)
		if allow.Decide(issues, raw).Effect == policy.Allow && !json.Valid(raw.Arguments) && len(raw.Arguments) > 0 && word != "clock" {
			if kind, _, _ := strings.Cut(word, ":"); kind != "read" && word != "kv:read" && word != "random" {
				t.Errorf("%q is allowed with broken arguments", word)
			}
		}
	})
}
