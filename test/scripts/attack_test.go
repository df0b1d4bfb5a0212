package scripts

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// attack is a call of a hostile script, and what must come of it.
type attack struct {
	// arguments are JSON. The other fields are patterns: of the text of a result, and of the code
	// and text of an error. An empty one means that there must be no result, or no error.
	arguments, result, failure string
	// timeout of the call; 0 means one that must not expire.
	timeout time.Duration
}

// each returns attacks with a value of an argument, by the value.
func each(argument string, want map[string]attack) []attack {
	var all []attack
	for value, a := range want {
		a.arguments = fmt.Sprintf("{%q: %q}", argument, value)
		all = append(all, a)
	}
	return all
}

// same returns the same expectation for many values.
func same(a attack, values ...string) map[string]attack {
	all := make(map[string]attack)
	for _, v := range values {
		all[v] = a
	}
	return all
}

func returns(pattern string) attack { return attack{arguments: "{}", result: pattern} }
func fails(pattern string) attack   { return attack{arguments: "{}", failure: pattern} }

var (
	endless = attack{failure: "^timeout ", timeout: 200 * time.Millisecond}
	// bomb is refused by the interpreter, or ends the call, also by a crash of the interpreter.
	bomb  = attack{result: "^(stopped|done)$", failure: "^(resource_exhausted|timeout|execution|trap) ", timeout: 10 * time.Second}
	flood = map[string]attack{"output": {failure: "^resource_exhausted .*output"}, "errors": returns("^$")}
)

// attacks are the scripts of testdata/attack.
var attacks = map[string][]attack{
	"forged.py":   {returns(`^\[\[\],"yes"\]$`)},
	"files.py":    {returns(`^\["control"\]$`)},
	"system.py":   {returns(`^\[\["control"\],"wasi",\{"PWD":"/workspace"\},"/"\]$`)},
	"patched.py":  {fails("^(execution|invalid_output) ")},
	"deleted.py":  {fails("^(execution|invalid_output) ")},
	"frames.py":   {{arguments: `{"find": ["can", "ary"]}`, result: "^replaced$"}},
	"pretends.py": {fails("^invalid_output .*unknown field")},
	"bombs.py": each("bomb", same(bomb, "repr", "dumps", "loads", "pickle", "compare", "parse", "eval", "compile", "regex", "chain", "power",
		"bytes", "join", "string", "format", "range", "memory")),
	"spins.py":  each("spin", same(endless, "loop", "regex", "sum", "power", "logs", "progress", "store", "errors", "catches")),
	"floods.py": each("flood", flood),

	"forged.js": {returns(`^\[\[\],"yes"\]$`)},
	"files.js":  {returns(`^\["control"\]$`)},
	"system.js": {returns(`^\["control"\]$`)},
	"streams.js": each("way", map[string]attack{
		"writes": fails("^invalid_output .*JSON"), "writes twice": fails("^invalid_output .*JSON"), "logs to the result": fails("^invalid_output .*JSON"),
		"closes": fails("^execution "), "exits": fails("^invalid_output .*without a result"), "exits with 256": fails("^execution .*exit status 256"),
		"exits as the engine": fails("^execution .*exit status"), "describes": fails("^execution .*read-only"),
		"finishes": returns("^returned$"), "finishes with junk": returns("^returned$"), "after": returns("^returned$"),
	}),
	"polluted.js": {
		{arguments: `{"change": false}`, result: "^returned$"},
		{arguments: `{"change": true}`, failure: "^invalid_output .*neither content nor structured"},
		{arguments: `{"change": true, "throws": true}`, failure: "^execution .*TypeError: cannot read property 'x' of undefined"},
	},
	"results.js": each("way", map[string]attack{
		"thenable": returns("^resolved$"), "proxy": returns(`^\{"a":1\}$`), "nan": returns(`^\[null,null\]$`), "toJSON": returns(`^\{"content":.*"is_error":true\}$`),
		"thenable forever": endless, "error with a getter": endless, "never settles": fails("^execution .*nothing will settle"),
		"throws in then": fails("^execution .*TypeError: then"), "proxy of itself": fails("^execution .*not JSON.*circular"), "revoked": fails("^execution .*revoked"),
		"symbol": fails("^execution .*a symbol, which is not JSON"),
		"forged": fails("^invalid_output .*unknown field"), "result as prototype": fails("^invalid_output .*neither content nor structured"),
		"hidden error": fails("^execution .*cannot be shown"), "throws null": fails("^execution .*uncaught null"), "throws a function": fails("^execution .*uncaught"),
	}),
	"bombs.js": each("bomb", same(bomb, "stringify", "parse", "regex", "source", "member", "repeat", "buffer", "shared", "array", "power", "shift",
		"join", "bind", "proxy", "sort", "padding", "flat", "clone", "console", "cause", "result", "toJSON")),
	"spins.js": each("spin", same(endless, "loop", "regex", "microtasks", "timers", "interval", "generator", "power", "logs", "progress",
		"errors", "catches", "input", "rejections")),
	"floods.js": each("flood", flood),
}

// Hostile scripts get nothing that their tool was not granted. Each has one clear error, which
// shows nothing of the host, and the next call is like the first.
func TestAttacks(t *testing.T) {
	for file, attacks := range attacks {
		t.Run(file, func(t *testing.T) {
			l := javaScript
			if filepath.Ext(file) == ".py" {
				l = python
			}
			l.needs(t)
			if kind := strings.TrimSuffix(file, "."+l.end); slices.Contains([]string{"bombs", "floods", "spins"}, kind) {
				testlevel.Long(t, "these scripts take as long as they may")
			}
			lab := hostile(t, l, file, nil)
			for _, a := range attacks {
				lab.timeout = a.timeout
				for n := 0; n == 0 || n == 1 && a.timeout == 0; n++ {
					got := lab.call(t, "", "hostile", a.arguments)
					pattern, text := a.result, got.text
					if got.code != "" {
						pattern, text = a.failure, fmt.Sprint(got.code, " ", got.failure)
					}
					if pattern == "" || !regexp.MustCompile("(?s)"+pattern).MatchString(text) {
						t.Errorf("%s: got %.1000s", a.arguments, got.everything())
					}
					for _, hidden := range []string{secret, os.TempDir() + "/Test", "goroutine ", "canary"} {
						if strings.Contains(got.everything()+lab.logged(), hidden) {
							t.Errorf("%s: the text shows %q: %.1000s", a.arguments, hidden, got.everything())
						}
					}
				}
			}
		})
	}
}

// secret is the value of the secret that the tool may send to a server.
const secret = `tok/EN+"canary\<7Qz?&é=`

// hostileTables are the tables of the manifest of a hostile tool, and operator is the file that
// grants what they ask for.
const (
	hostileTables = tmp + `
[[permissions.fs]]
mount = "workspace"
mode = "read"
[[permissions.net]]
url = "https://api.example.com/"
secrets = [{ name = "TOKEN", header = "Authorization", prefix = "Bearer " }]
[permissions]
kv = "write"
random = true
[limits]
memory = "192MiB"
`
	operator = `
[secrets.TOKEN]
env = "TOKEN"
[grants]
allow = ["read:workspace", "write:tmp", "net:https://api.example.com/", "secret:TOKEN", "kv:write", "random"]
[tools.hostile]
auto_execute = true
[tools.code]
allow = ["tools:hostile"]
`
)

// hostile returns a lab with the tool "hostile", which runs a script of testdata/attack. It has a
// workspace with a link that leads outside, and a file that is not part of the tool next to it.
func hostile(t *testing.T, l language, file string, handler http.HandlerFunc) *lab {
	t.Helper()
	script := readFile(t, "testdata/attack/"+file)
	more := hostileTables
	if first, _, _ := strings.Cut(script, "\n"); strings.HasSuffix(first, " program") {
		more = "program = true\n" + more
	}
	files := l.tool("hostile", script, more)
	files[".env"], files["notes.txt"] = "SECRET=canary", "not part of the tool"
	s := setup{operator: operator, builtins: handler != nil, env: map[string]string{"TOKEN": secret}}
	if handler != nil {
		serve(t, &s, handler)
	}
	s.Workspace = t.TempDir()
	for name, create := range map[string]func(string) error{
		"file.txt": func(p string) error { return os.WriteFile(p, []byte("x"), 0o666) },
		"link":     func(p string) error { return os.Symlink("/etc/passwd", p) },
		"up":       func(p string) error { return os.Symlink("/etc", p) },
		"pipe":     func(p string) error { return makePipe(p) },
	} {
		if err := create(filepath.Join(s.Workspace, name)); err != nil {
			t.Fatal(err)
		}
	}
	return open(t, s, map[string]map[string]string{"hostile": files})
}
