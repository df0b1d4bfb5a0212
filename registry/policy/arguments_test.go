package policy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/policy"
)

// holds reports whether a rule decides the call. The rule has the given effect, and the match m for
// the argument at the JSON pointer. The call's grant needs approval, because otherwise an allow
// rule would have no effect.
func holds(t testing.TB, effect policy.Effect, pointer string, m policy.Match, args string) bool {
	t.Helper()
	p := compile(t, policy.Config{Rules: []policy.Rule{{Effect: effect, Arguments: map[string]policy.Match{pointer: m}}}})
	d := p.Decide(issues, policy.CallFacts{Capabilities: words("write:workspace"), Arguments: json.RawMessage(args)})
	return d.Effect == effect && d.By.Rule == "rules[0]"
}

func pathArgument(path string) string {
	text, _ := json.Marshal(map[string]string{"path": path})
	return string(text)
}

func TestNoSpellingDodgesADenial(t *testing.T) {
	env := []string{
		".env", "./.env", "a/../.env", "a/b/.env", "//workspace//.env", "/workspace/.env", "/workspace/a/../.env",
		"../workspace/.env", "../../../.env", ".ENV", ".Env", `a\.env`, `a\..\.env`, "C:\\x\\.env", " .env", ".env ", ".env\n",
		".env/", ".env/.", "%2eenv", "%2e%2e/.env", "%252eenv", "%25252eenv", "a%2F.env", "a%5c.env", ".env.", ".env . ", ".env::$DATA",
		".e\u200bnv", "．env", ".env\x00.txt", "file:///workspace/.env", strings.Repeat("a/", 3000) + ".env",
		"%" + strings.Repeat("25", 20) + "2eenv", ".env/below",
	}
	for _, path := range env {
		if !holds(t, policy.Deny, "/path", policy.Match{Glob: "**/.env"}, pathArgument(path)) {
			t.Errorf("%q dodges", path)
		}
	}
	for _, path := range []string{"env", "a.env", ".env.example", ".envrc", "a/.environment", ".", "", "src/.e"} {
		if holds(t, policy.Deny, "/path", policy.Match{Glob: "**/.env"}, pathArgument(path)) {
			t.Errorf("%q is denied", path)
		}
	}
	for _, path := range []string{"secret", "secret/x", "Secret/x", "/workspace/secret", "a/../secret/x", "../workspace/secret", `secret\x`, "./secret/"} {
		for _, m := range []policy.Match{{Glob: "secret/**"}, {Glob: "secret"}, {Glob: "/workspace/secret"}, {Prefix: "secret"}, {Prefix: "/workspace/secret/"}} {
			if !holds(t, policy.Deny, "/path", m, pathArgument(path)) {
				t.Errorf("%q dodges %+v", path, m)
			}
		}
	}
	for _, path := range []string{"secrets", "a/secret", "/secret", "../secret"} {
		if holds(t, policy.Deny, "/path", policy.Match{Prefix: "secret"}, pathArgument(path)) {
			t.Errorf("%q is denied", path)
		}
	}
	for _, path := range []string{".env", "./.env", "/workspace/.env", ".ENV"} {
		if !holds(t, policy.Deny, "/path", policy.Match{Equals: json.RawMessage(`".env"`)}, pathArgument(path)) {
			t.Errorf("%q is not equal", path)
		}
	}
}

func TestUnicodeFormsAreOne(t *testing.T) {
	for _, path := range []string{"caf\u00e9", "cafe\u0301", "CAF\u00c9", "CAFE\u0301"} {
		if !holds(t, policy.Deny, "/path", policy.Match{Glob: "caf\u00e9"}, pathArgument(path)) {
			t.Errorf("%+q dodges", path)
		}
	}
}

func TestAllowingNeedsEveryReadingInside(t *testing.T) {
	inside := []string{"src", "src/a.go", "./src/a.go", "/workspace/src/a.go", "src/x/../a.go"}
	outside := []string{
		"srcs/a", "src/../.env", "../src/a", "/src/a", "SRC/a", "src/..%2f.env", "src/%2e%2e/.env", `src\..\.env`, "src/a\x00", " src/../x",
		"src/%252e%252e/x", "", ".", "/", strings.Repeat("a/", 5000),
	}
	for _, m := range []policy.Match{{Glob: "src/**"}, {Prefix: "src"}, {Glob: "/workspace/src/**"}} {
		for _, path := range inside {
			if !holds(t, policy.Allow, "/path", m, pathArgument(path)) {
				t.Errorf("%q is not inside %+v", path, m)
			}
		}
		for _, path := range outside {
			if holds(t, policy.Allow, "/path", m, pathArgument(path)) {
				t.Errorf("%q is inside %+v", path, m)
			}
		}
	}
	if !holds(t, policy.Allow, "/path", policy.Match{Prefix: "src", FoldCase: true}, pathArgument("SRC/a")) {
		t.Error("FoldCase has no effect")
	}
	url := policy.Match{Prefix: "https://api.example/repos"}
	if !holds(t, policy.Allow, "/path", url, pathArgument("https://api.example/repos/x")) ||
		holds(t, policy.Allow, "/path", url, pathArgument("https://api.example/repos/../x")) ||
		holds(t, policy.Allow, "/path", url, pathArgument("https://api.example/repossessed")) {
		t.Error("a prefix of a URL does not match exactly the URLs below it")
	}
}

func TestConditions(t *testing.T) {
	equals := func(s string) policy.Match { return policy.Match{Equals: json.RawMessage(s)} }
	glob := policy.Match{Glob: "src/*.go"}
	for _, tc := range []struct {
		name         string
		pointer      string
		match        policy.Match
		args         string
		deny, permit bool
	}{
		{"a number in another spelling", "/n", equals("100"), `{"n":1.00e2}`, true, true},
		{"a large number exactly", "/n", equals("9007199254740993"), `{"n":9007199254740992}`, false, false},
		{"a huge exponent", "/n", equals("1e999999999"), `{"n":10e999999998}`, true, true},
		{"zero", "/n", equals("0"), `{"n":-0.0e7}`, true, true},
		{"a boolean", "/b", equals("true"), `{"b":true}`, true, true},
		{"another boolean", "/b", equals("true"), `{"b":false}`, false, false},
		{"another type", "/b", equals("true"), `{"b":"true"}`, true, false},
		{"null is equal to null", "/b", equals("null"), `{"b":null}`, true, true},
		{"null is like nothing", "/b", equals("1"), `{"b":null}`, false, false},
		{"an object", "/o", equals(`{"a":1,"b":[2]}`), `{"o":{"b":[2.0],"a":1}}`, true, true},
		{"another object", "/o", equals(`{"a":1}`), `{"o":{"a":1,"b":2}}`, false, false},
		{"a list", "/l", equals(`[1,2]`), `{"l":[1,2]}`, true, true},
		{"another list", "/l", equals(`[1,2]`), `{"l":[2,1]}`, false, false},
		{"an element is equal", "/l", equals(`1`), `{"l":[2,1]}`, true, false},
		{"all elements are equal", "/l", equals(`1`), `{"l":[1,1.0]}`, true, true},

		{"missing", "/path", glob, `{}`, false, false},
		{"no arguments", "/path", glob, ``, false, false},
		{"missing counts", "/path", policy.Match{Glob: "src/*.go", Missing: true}, `{}`, true, true},
		{"null counts as missing", "/path", policy.Match{Glob: "src/*.go", Missing: true}, `{"path":null}`, true, true},
		{"an empty list counts as missing", "/path", policy.Match{Glob: "src/*.go", Missing: true}, `{"path":[]}`, true, true},
		{"an empty list", "/path", glob, `{"path":[]}`, false, false},
		{"one of a list", "/path", glob, `{"path":["x","src/a.go"]}`, true, false},
		{"all of a list", "/path", glob, `{"path":["src/b.go","src/a.go"]}`, true, true},
		{"a list in a list", "/path", glob, `{"path":[["x"],["src/a.go"]]}`, true, false},
		{"a number for a path", "/path", glob, `{"path":7}`, true, false},
		{"a field of an object", "/path", glob, `{"path":{"a":"src/a.go"}}`, true, false},
		{"the name of a field", "/path", glob, `{"path":{"src/a.go":"x"}}`, true, false},
		{"an object with other fields", "/path", glob, `{"path":{"x":"y"}}`, false, false},

		{"every element", "/edits/*/path", glob, `{"edits":[{"path":"src/a.go"},{"path":"x"}]}`, true, false},
		{"every element, all match", "/edits/*/path", glob, `{"edits":[{"path":"src/a.go"}]}`, true, true},
		{"every element, one is missing", "/edits/*/path", glob, `{"edits":[{"path":"src/a.go"},{}]}`, true, false},
		{"a list without being told", "/edits/path", glob, `{"edits":[{"path":"src/a.go"},{"path":"x"}]}`, true, false},
		{"one element", "/edits/1/path", glob, `{"edits":[{"path":"src/a.go"},{"path":"x"}]}`, false, false},
		{"an element that is not there", "/edits/9/path", glob, `{"edits":[]}`, false, false},
		{"a field called * hides none", "/files/*", glob, `{"files":{"*":"x","y":"src/a.go"}}`, true, false},
		{"a text where an object should be", "/edits/path", glob, `{"edits":"src/a.go"}`, true, false},
		{"escapes in the pointer", "/a~1b/~0", equals("1"), `{"a/b":{"~":1}}`, true, true},

		{"a whole text", "/c", policy.Match{Regexp: "git (log|diff)"}, `{"c":"git log"}`, true, true},
		{"part of a text", "/c", policy.Match{Regexp: "git log"}, `{"c":"git log; rm"}`, false, false},
		{"alternatives are anchored", "/c", policy.Match{Regexp: "a|b"}, `{"c":"bx"}`, false, false},
		{"over lines", "/c", policy.Match{Regexp: ".*secret.*"}, `{"c":"x\nsecret\ny"}`, true, true},
		{"no line end is the end", "/c", policy.Match{Regexp: "git log"}, `{"c":"git log\n"}`, false, false},
		{"case matters", "/c", policy.Match{Regexp: "git log"}, `{"c":"GIT log"}`, false, false},
		{"unless told", "/c", policy.Match{Regexp: "git log", FoldCase: true}, `{"c":"GIT log"}`, true, true},

		{"not an object", "/path", glob, `["src/a.go"]`, true, false},
		{"not JSON", "/path", glob, `{"path":`, true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := holds(t, policy.Deny, tc.pointer, tc.match, tc.args); got != tc.deny {
				t.Errorf("a rule that denies holds: %v", got)
			}
			if got := holds(t, policy.Ask, tc.pointer, tc.match, tc.args); got != tc.deny {
				t.Errorf("a rule that asks holds: %v", got)
			}
			if got := holds(t, policy.Allow, tc.pointer, tc.match, tc.args); got != tc.permit {
				t.Errorf("a rule that allows holds: %v", got)
			}
		})
	}
}

func TestAllConditionsOfARuleMustHold(t *testing.T) {
	p := compile(t, policy.Config{Rules: []policy.Rule{{Arguments: map[string]policy.Match{
		"/a": {Equals: json.RawMessage("1")}, "/b": {Equals: json.RawMessage("1")},
	}}}})
	if d := p.Decide(issues, arguments(`{"a":1,"b":2}`)); d.Effect != policy.Allow {
		t.Errorf("one is enough: %v", d.By)
	}
	if d := p.Decide(issues, arguments(`{"a":1,"b":1}`)); d.Effect != policy.Deny {
		t.Errorf("both are not enough: %v", d.By)
	}
}

func TestAnotherBase(t *testing.T) {
	p := compile(t, policy.Config{Base: "/data/in", Rules: []policy.Rule{
		{Arguments: map[string]policy.Match{"/path": {Glob: "secret/**"}}},
	}})
	for path, want := range map[string]policy.Effect{
		"secret/x": policy.Deny, "/data/in/secret": policy.Deny, "../in/secret": policy.Deny, "/workspace/secret/x": policy.Allow,
	} {
		if d := p.Decide(issues, arguments(pathArgument(path))); d.Effect != want {
			t.Errorf("%s: %v", path, d.By)
		}
	}
}

// An expression is limited by its size with all repeats expanded, not by its length.
func TestRepeatsInExpressionsCount(t *testing.T) {
	text, _ := json.Marshal(map[string]string{"text": strings.Repeat("a", 1<<20)})
	for expression, want := range map[string]string{"(.*a){200}": "too large", "a+": "rules[0]"} {
		p := compile(t, policy.Config{Rules: []policy.Rule{{
			Effect: policy.Ask, Arguments: map[string]policy.Match{"/text": {Regexp: expression}},
		}}})
		if d := p.Decide(named("read"), arguments(string(text))); !strings.Contains(d.By.Why+d.By.Rule, want) {
			t.Errorf("%s: %v", expression, d.By)
		}
	}
}

func TestArgumentsThatTakeTooLongAreDenied(t *testing.T) {
	var rules []policy.Rule
	for i := range 200 {
		rules = append(rules, policy.Rule{Effect: policy.Allow, Arguments: map[string]policy.Match{
			"/paths": {Glob: fmt.Sprintf("**/*a*b*c*%d/**/x*", i)},
		}})
	}
	path := strings.Repeat("a%41/b\\", 500)
	paths, _ := json.Marshal(map[string][]string{"paths": {path, path, path, path, path, path, path, path}})
	d := compile(t, policy.Config{Rules: rules}).Decide(named("read"), arguments(string(paths)))
	if d.Effect != policy.Allow {
		t.Fatalf("rules that stop at the first element: %v", d.By)
	}
	for i := range rules {
		rules[i].Effect = policy.Ask
	}
	d = compile(t, policy.Config{Rules: rules}).Decide(named("read"), arguments(string(paths)))
	if d.Effect != policy.Deny || !strings.Contains(d.By.Why, "too large") {
		t.Errorf("got %v", d.By)
	}
}
