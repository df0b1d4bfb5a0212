package attack

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// The secrets of these tests. login is for basic authentication.
const (
	token    = `tok/EN+"canary\<7Qz?&é=`
	login    = "canary-user:canary pass/word+9"
	apiKey   = "canary-query-key-5d41402abc4b"
	withheld = "canary-withheld-0123456789"
)

// forms lists the encodings in which a secret must not be visible.
func forms(value string) []string {
	quoted, err := json.Marshal(value)
	if err != nil {
		panic(err) // a string can always be encoded
	}
	all := []string{
		value, string(quoted[1 : len(quoted)-1]), url.QueryEscape(value), url.PathEscape(value),
		hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))),
	}
	for shift := range 3 {
		// For each offset within a group of three bytes, keep only the characters that depend on
		// the secret alone.
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + value))
		from, to := (shift*8+5)/6, (shift+len(value))*8/6
		all = append(all, text[from:to], strings.NewReplacer("+", "-", "/", "_").Replace(text[from:to]))
	}
	for _, form := range all {
		all = append(all, escapedBase64(form), url.QueryEscape(form))
	}
	return all
}

// escapedBase64 returns base64 as some servers write it into JSON.
func escapedBase64(text string) string {
	return strings.NewReplacer("+", `\u002B`, "/", `\/`, "=", `\u003d`).Replace(text)
}

// wrapped breaks a string into lines of 19 characters.
func wrapped(text, end string) string {
	var b strings.Builder
	for ; len(text) > 19; text = text[19:] {
		b.WriteString(text[:19] + end)
	}
	return b.String() + text
}

// leaks returns the form in which a text contains a secret, or "".
func leaks(text string) string {
	joined := strings.NewReplacer("\r", "", "\n", "", `\r`, "", `\n`, "").Replace(text)
	for _, value := range []string{token, login, apiKey, withheld, "canary pass/word+9"} {
		for _, form := range forms(value) {
			if strings.Contains(text, form) || strings.Contains(joined, form) {
				return fmt.Sprintf("%q of the secret %q", form, value)
			}
		}
	}
	return ""
}

// everything makes a call. The result all contains all data about the call that can be seen.
func (l *lab) everything(t *testing.T, call tool.Call) (all string, result tool.Result, err error) {
	t.Helper()
	var heard strings.Builder
	call.OnLog = func(_ slog.Level, text string) { heard.WriteString(text + "\n") }
	call.OnProgress = func(_, _ float64, text string) { heard.WriteString(text + "\n") }
	call.OnUpdate = func(u tool.Update) { fmt.Fprintf(&heard, "%s %s\n", u.Title, u.Metadata) }
	result, err = l.execute(t, call)
	for _, v := range []any{result, l.noted()} {
		text, failed := json.Marshal(v)
		if failed != nil {
			t.Fatal(failed)
		}
		heard.Write(text)
		fmt.Fprintf(&heard, "%+v", v)
	}
	heard.WriteString(result.Text() + string(result.Structured))
	for e := err; e != nil; e = errors.Unwrap(e) {
		fmt.Fprintf(&heard, "%v %+v %#v", e, e, e)
	}
	var te *tool.Error
	if errors.As(err, &te) {
		fmt.Fprintf(&heard, "%+v", te.Details)
	}
	heard.WriteString(l.stderr.String())
	return heard.String(), result, err
}

// secretive is a script that uses a secret in every way.
const (
	secretiveAsked = `
[[permissions.net]]
url = "https://api.example.com/"
methods = ["GET", "POST"]
secrets = [{ name = "TOKEN", header = "Authorization", prefix = "Bearer " }, { name = "KEY", query = "key" }]
[[permissions.net]]
url = "https://login.example.com/"
secrets = [{ name = "LOGIN", basic = true }]
[[permissions.net]]
url = "https://other.example.com/"
[permissions]
kv = "write"
`
	secretiveGiven = `
[secrets.TOKEN]
env = "TOKEN"
urls = ["https://api.example.com/"]
[secrets.LOGIN]
env = "LOGIN"
[secrets.KEY]
env = "KEY"
[secrets.WITHHELD]
env = "WITHHELD"
[grants]
allow = ["net:https://*.example.com/", "secret:TOKEN", "secret:LOGIN", "secret:KEY", "kv:write"]
[tools.script]
auto_execute = true
`
)

var secretEnv = map[string]string{"TOKEN": token, "LOGIN": login, "KEY": apiKey, "WITHHELD": withheld}

// parrot is a server that returns what it received, in the form that the path asks for.
func parrot(rw http.ResponseWriter, r *http.Request) {
	outcome := r.Header.Get("Authorization") + " key=" + r.URL.Query().Get("key")
	raw := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if user, password, ok := r.BasicAuth(); ok {
		raw = user + ":" + password
		outcome += raw
	}
	rw.Header().Set("Content-Type", "text/plain")
	switch r.URL.Path {
	case "/split":
		for i := range len(outcome) {
			fmt.Fprint(rw, outcome[i:i+1])
			http.NewResponseController(rw).Flush()
		}
	case "/json":
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(map[string]any{"outcome": outcome, raw: 1})
	case "/base64":
		for shift := range 3 {
			fmt.Fprintln(rw, base64.StdEncoding.EncodeToString([]byte(strings.Repeat("y", shift)+raw)), base64.RawURLEncoding.EncodeToString([]byte(outcome)))
		}
	case "/mixed":
		for shift := range 3 {
			text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("y", shift) + raw))
			fmt.Fprintf(rw, `{"a": "%s", "b": "%s", "c": "%s"}`, escapedBase64(text), url.QueryEscape(text), wrapped(text, `\r\n`))
			fmt.Fprintln(rw, wrapped(text, "\r\n"), url.QueryEscape(wrapped(text, "\n")), strings.ReplaceAll(fmt.Sprintf("%x", raw), "6", `\u0036`))
		}
	case "/hex":
		fmt.Fprintf(rw, "%x %X", raw, raw)
	case "/percent":
		fmt.Fprint(rw, url.QueryEscape(raw), " ", url.PathEscape(raw), " ", r.URL.RawQuery, " ", r.RequestURI)
	case "/header":
		rw.Header().Set("X-Echo", raw)
		rw.Header().Set("X-Query", r.URL.RawQuery)
		rw.Header().Set("Set-Cookie", "outcome="+url.QueryEscape(raw))
	case "/binary":
		rw.Header().Set("Content-Type", "application/octet-stream")
		fmt.Fprint(rw, "\x00\x01", raw, "\xff", outcome)
	case "/gzip":
		rw.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(rw)
		fmt.Fprint(zip, outcome, raw)
		_ = zip.Close()
	case "/away":
		rw.Header().Set("Location", "https://other.example.com/?"+url.QueryEscape(raw))
		rw.WriteHeader(http.StatusFound)
	case "/hop":
		rw.Header().Set("Location", "https://other.example.com/plain")
		rw.WriteHeader(http.StatusFound)
	case "/home":
		rw.Header().Set("Location", "/plain?seen="+url.QueryEscape(raw)+"&again="+r.URL.Query().Get("key"))
		rw.WriteHeader(http.StatusFound)
	case "/broken":
		rw.Header().Set("Content-Length", "100000")
		fmt.Fprint(rw, raw)
	default:
		fmt.Fprint(rw, outcome, raw)
	}
}

var parrotPaths = []string{"/plain", "/split", "/json", "/base64", "/mixed", "/hex", "/percent", "/header", "/binary", "/gzip", "/away", "/hop", "/home", "/broken"}

// No secret is visible anywhere. This does not depend on the form in which a server returns the
// secret, or on what the guest does with the response.
func TestSecretsAreSeenNowhere(t *testing.T) {
	w := newWorld(t, parrot)
	state := t.TempDir()
	l := newLab(t, setup{tools: map[string]string{"script": secretiveAsked}, operator: secretiveGiven, env: secretEnv, http: w.options(), stateDir: state})
	for _, origin := range []string{"https://api.example.com", "https://login.example.com"} {
		for n, path := range parrotPaths {
			for _, size := range []int{1, 5, 4096} {
				for _, end := range []string{"say", "fail", "spin"} {
					if end == "spin" && (size != 5 || n%testlevel.Size(6, 1) != 0) {
						continue
					}
					target := origin + path
					steps := []step{
						get(target),
						{Do: "head", Handle: -1},
						{Do: "body", Handle: -1, Size: size},
						{Do: "echo"},
						{Do: end, Text: "the end"},
					}
					if end == "fail" {
						steps[4] = step{Do: "fail"}
					}
					call := script("script", steps...)
					if end == "spin" {
						call.Timeout = 200 * 1e6
					}
					all, _, _ := l.everything(t, call)
					if leak := leaks(all); leak != "" {
						t.Errorf("%s, %d bytes at once, %s: it shows %s", target, size, end, leak)
					}
				}
			}
		}
	}
	if leaksBelow(t, state) == 0 {
		t.Error("the guest did not write to its store")
	}
	// The test is only meaningful if a server received the secrets.
	got := make(map[string]bool)
	for _, r := range w.requests() {
		header, key := r.Header.Get("Authorization"), r.URL.Query().Get("key")
		got[r.Host+" "+header+" "+key] = true
		if r.Host == "other.example.com" && (header != "" || key != "" || leaks(r.URL.String()) != "") {
			t.Errorf("another host got %s %q", r.URL, header)
		}
	}
	for _, want := range []string{
		"api.example.com Bearer " + token + " " + apiKey,
		"login.example.com Basic " + base64.StdEncoding.EncodeToString([]byte(login)) + " ",
		"other.example.com  ",
	} {
		if !got[want] {
			t.Errorf("no server got %q", want)
		}
	}
}

// The beginning of a guest's error stream is cut off. The cut must not leave a part of a secret.
func TestCutsLeaveNoPartOfSecret(t *testing.T) {
	w := newWorld(t, hello)
	l := newLab(t, setup{tools: map[string]string{"script": secretiveAsked}, operator: secretiveGiven, env: secretEnv, http: w.options()})
	// left is the number of bytes of the secret after the cut.
	for _, left := range []int{1, 8, len(apiKey) - 1} {
		text := strings.Repeat("-", 1000) + apiKey + strings.Repeat("+", runtime.DefaultStderr-left)
		all, _, err := l.everything(t, script("script", get("https://api.example.com/"), step{Do: "stderr", Text: text}, step{Do: "fail"}))
		if err == nil || !strings.Contains(all, "++++") {
			t.Fatalf("the diagnostics are missing: %v", err)
		}
		if part := apiKey[len(apiKey)-left:] + "+"; strings.Contains(all, part) {
			t.Errorf("%d bytes after the cut: it shows %q", left, part)
		}
	}
}

// A guest cannot redirect a secret by setting the same header, query or host itself.
func TestGuestsDoNotChooseWhereSecretsGo(t *testing.T) {
	w := newWorld(t, hello)
	l := newLab(t, setup{tools: map[string]string{"script": secretiveAsked}, operator: secretiveGiven, env: secretEnv, http: w.options()})
	l.play(t,
		request("GET", "https://api.example.com/?key=mine&key=again&KEY=x", "Authorization", "mine", "X-Echo", "{{TOKEN}}"),
		get("https://other.example.com/?key=mine"), get("https://login.example.com/?key=mine"),
		request("POST", "https://api.example.com/"),
	)
	for _, r := range w.requests() {
		header, key := r.Header.Values("Authorization"), r.URL.Query()["key"]
		switch r.Host {
		case "api.example.com":
			if len(header) != 1 || header[0] != "Bearer "+token || len(key) != 1 || key[0] != apiKey {
				t.Errorf("api got %q, %q", header, key)
			}
		case "other.example.com":
			if len(header) != 0 || leaks(r.URL.String()) != "" {
				t.Errorf("other got %q, %q", header, key)
			}
		case "login.example.com":
			if user, password, _ := r.BasicAuth(); user+":"+password != login {
				t.Errorf("login got %q", header)
			}
		}
	}
}

// A URL that the operator's urls do not cover gets no secret, even if the tool asks for it there.
func TestSecretsStayWithTheirURLs(t *testing.T) {
	w := newWorld(t, hello)
	operator := strings.Replace(secretiveGiven, `urls = ["https://api.example.com/"]`, `urls = ["https://api.example.com/only"]`, 1)
	l := newLab(t, setup{tools: map[string]string{"script": secretiveAsked}, operator: operator, env: secretEnv, http: w.options()})
	l.play(t, get("https://api.example.com/other"), get("https://api.example.com/only/this"), get("https://api.example.com/onlyx"), get("https://api.example.com/only/../other"))
	for _, r := range w.requests() {
		if got, want := r.Header.Get("Authorization") != "", strings.HasPrefix(r.URL.Path, "/only/"); got != want {
			t.Errorf("%s has the secret: %v", r.URL.Path, got)
		}
	}
}

// secret_exists reports only secrets that are granted to the tool.
func TestSecretExists(t *testing.T) {
	l := newLab(t, setup{
		tools: map[string]string{"script": secretiveAsked, "plain": ""}, operator: secretiveGiven, env: secretEnv, http: newWorld(t, hello).options(),
	})
	names := map[string]int32{"TOKEN": 1, "LOGIN": 1, "KEY": 1, "WITHHELD": 0, "NONE": 0, "token": 0, "": 0, "TOKEN\x00": 0, strings.Repeat("T", 1<<20): 0}
	for name, want := range names {
		out := l.play(t, step{Do: "exists", Text: name})
		if out[0].Code != want {
			t.Errorf("%.20q: %d", name, out[0].Code)
		}
		if out := l.call(t, script("plain", step{Do: "exists", Text: name})); out[0].Code != 0 {
			t.Errorf("%.20q exists for a tool that asks for no secret", name)
		}
	}
}

// If a secret is not available or cannot be used, the request fails before it is sent. The error
// does not show the secret.
func TestSecretsThatDoNotFit(t *testing.T) {
	for name, value := range map[string]string{"a line end": "canary\r\nHost: evil.com", "NUL": "canary\x00canary", "empty": "", "long": strings.Repeat("canary", 2000), "spaces": " canary-canary "} {
		w := newWorld(t, hello)
		l := newLab(t, setup{
			tools: map[string]string{"script": secretiveAsked}, operator: secretiveGiven,
			env: map[string]string{"TOKEN": value, "KEY": apiKey, "LOGIN": login}, http: w.options(),
		})
		all, result, err := l.everything(t, script("script", get("https://api.example.com/")))
		if err != nil {
			t.Fatal(err)
		}
		if out := outcomes(t, result)[0]; out.Code >= 0 || !strings.Contains(out.Fault, "TOKEN") {
			t.Errorf("%s: %+v", name, out)
		}
		if strings.Contains(all, "canary") || len(w.requests()) > 0 {
			t.Errorf("%s: the secret was shown or sent", name)
		}
	}
}

// The response of a server in one call is not in the memory of the next call, with or without a
// warm-up. A warm-up itself has access to nothing.
func TestNothingOfACallIsKept(t *testing.T) {
	for _, warm := range []bool{false, true} {
		w := newWorld(t, parrot)
		l := newLab(t, setup{tools: map[string]string{"script": secretiveAsked}, operator: secretiveGiven, env: secretEnv, http: w.options(), warm: warm})
		want := ""
		if warm {
			want = "BAB" // denied, does not exist, denied
		}
		for range 6 {
			l.play(t, get("https://api.example.com/plain"), step{Do: "keep", Handle: -1}, step{Do: "put", Text: "a", More: ptr("b")})
			call := script("script", step{Do: "kept"}, step{Do: "head", Handle: 1}, step{Do: "error"})
			heard := 0
			call.OnLog = func(slog.Level, string) { heard++ }
			call.OnProgress = func(float64, float64, string) { heard++ }
			call.OnUpdate = func(tool.Update) { heard++ }
			out := l.call(t, call)
			if out[0].Text != want || out[1].Code != -2 || heard > 0 {
				t.Errorf("warm %v: got %+v, and %d lines", warm, out, heard)
			}
			out = l.play(t, step{Do: "error"}, step{Do: "get", Text: "warm"})
			if out[0].Text != "" || out[1].Code != -2 {
				t.Errorf("warm %v: got %+v", warm, out)
			}
		}
		for _, r := range w.requests() {
			if r.URL.Path != "/plain" {
				t.Errorf("%s arrived", r.URL)
			}
		}
	}
}

// A secret that is too short to be hidden causes a warning when it is read, without its value.
func TestShortSecretCausesAWarning(t *testing.T) {
	w := newWorld(t, func(http.ResponseWriter, *http.Request) {})
	for name, c := range map[string]struct {
		tenant, value string
		warns         bool
	}{
		"short":            {"", "x9y8z7w", true},
		"short of tenant":  {"blue", "x9y8z7w", true},
		"long enough":      {"", "x9y8z7w6", false},
		"long of a tenant": {"blue", "x9y8z7w6", false},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, setup{
				tools:    map[string]string{"script": asksSecret},
				operator: hasSecret + "[secrets.TOKEN]\nenv = \"TOKEN\"\n[tenants.blue.secrets]\nTOKEN = { env = \"TOKEN\" }\n",
				env:      map[string]string{"TOKEN": c.value},
				http:     w.options(),
			})
			call := script("script", get("http://api.example.com/"))
			call.Tenant = c.tenant
			l.call(t, call)
			log := l.stderr.String()
			if got := strings.Count(log, "too short to be hidden"); got != map[bool]int{true: 1}[c.warns] || strings.Contains(log, c.value) {
				t.Errorf("%d warnings: %s", got, log)
			}
		})
	}
}
