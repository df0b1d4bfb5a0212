package capability

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func permission(t testing.TB, text string) Permission {
	t.Helper()
	w, err := ParsePermission(text)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func permissions(t testing.TB, texts ...string) []Permission {
	t.Helper()
	var list []Permission
	for _, text := range texts {
		list = append(list, permission(t, text))
	}
	return list
}

func TestPermissionsRoundTrip(t *testing.T) {
	for text, want := range map[string]string{
		"read:workspace":                        "",
		"write:data-2":                          "",
		"env:LANG":                              "",
		"env:_a1":                               "",
		"secret:GITHUB_TOKEN":                   "",
		"secret:my-key":                         "",
		"kv:read":                               "",
		"kv:write":                              "",
		"clock":                                 "",
		"random":                                "",
		"net:any":                               "",
		"net:GET:any":                           "",
		"net:https://api.github.com":            "net:https://api.github.com/",
		"net:HTTPS://api.github.com:443":        "net:https://api.github.com/",
		"net:HEAD,GET:https://api.github.com/x": "net:GET,HEAD:https://api.github.com/x",
		"net:POST:http://[::1]:8080/":           "",
		"net:http://[::1]:8080/":                "",
		"net-private:https://nas.corp.example/": "",
		"net-private:PUT:https://nas.corp.example/": "",
		"net:https://*.example.com/":                "",
	} {
		if want == "" {
			want = text
		}
		w := permission(t, text)
		if w.String() != want {
			t.Errorf("%s: got %s", text, w)
		}
		if again := permission(t, w.String()); again != w {
			t.Errorf("%s: reads back as %+v, was %+v", text, again, w)
		}
		coded, err := json.Marshal(map[Permission]URLPattern{w: w.URL()})
		if w.URL().IsZero() {
			coded, err = json.Marshal([]Permission{w})
		}
		if err != nil || !strings.Contains(string(coded), want) {
			t.Errorf("%s: as JSON %s, %v", text, coded, err)
		}
	}
	var read struct {
		W Permission
		U URLPattern
	}
	if err := json.Unmarshal([]byte(`{"W":"kv:read","U":"http://a.example"}`), &read); err != nil || read.W.String() != "kv:read" || read.U.Port() != 80 {
		t.Errorf("got %+v, %v", read, err)
	}
	for _, bad := range []string{`{"W":"kv"}`, `{"U":""}`} {
		if err := json.Unmarshal([]byte(bad), &read); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

func TestPermissionParts(t *testing.T) {
	w := permission(t, "net-private:PUT,GET:https://a.example/x")
	if w.Kind() != KindNetPrivate || w.Name() != "" || w.URL() != pattern(t, "https://a.example/x") || !reflect.DeepEqual(w.Methods(), []string{"GET", "PUT"}) {
		t.Errorf("got %+v", w)
	}
	if w := permission(t, "net:any"); w.Methods() != nil || !w.URL().IsAny() {
		t.Errorf("got %+v", w)
	}
	if w := permission(t, "read:ws"); w.Kind() != KindRead || w.Name() != "ws" || !w.URL().IsZero() {
		t.Errorf("got %+v", w)
	}
	if (Permission{}).String() != "" {
		t.Error("the zero value is a permission")
	}
}

func TestPermissionErrorsNameTextAndFix(t *testing.T) {
	for text, says := range map[string]string{
		"":                            "read:MOUNT, write:MOUNT, net:URL",
		"raed:workspace":              "did you mean read?",
		"Read:workspace":              "did you mean read?",
		"secrets:X":                   "did you mean secret?",
		"rnadom":                      "did you mean random?",
		"nett:https://example.com":    "did you mean net?",
		"https://example.com":         "write net:https://",
		"exec:ls":                     "read:MOUNT, write:MOUNT",
		"read":                        "the name is missing",
		"read:":                       "the name is missing",
		"read:/etc":                   "not the name of a mount",
		"read:Workspace":              "lower-case",
		"write:a b":                   "not the name of a mount",
		"env:":                        "the name is missing",
		"env:any":                     "name each",
		"env:*":                       "name each",
		"env:AWS_*":                   "name each",
		"env:A=B":                     "not the name of a variable",
		"secret:any":                  "name each",
		"secret:a.b":                  "not the name of a secret",
		"kv":                          "kv:read or kv:write",
		"kv:any":                      "kv:read or kv:write",
		"clock:":                      "write clock",
		"random:any":                  "write random",
		"net":                         "names no host",
		"net:":                        "names no host",
		"net:*":                       `"any" for every public host`,
		"net:example.com":             "https://HOST/",
		"net:example.com:443":         "https://HOST/",
		"net:get:https://example.com": "did you mean GET?",
		"net:GTE:https://example.com": "did you mean GET?",
		"net:GET,GET:https://a.com":   "given twice",
		"net:GET,:https://a.com":      `"" is not a method`,
		"net:CONNECT:https://a.com":   "not a method that can be granted",
		"net:TRACE:https://a.com":     "not a method that can be granted",
		"net-private:any":             "name each",
		"net-private:GET:any":         "name each",
		"net:ftp://example.com":       "http:// or https://",
		"net:http://2130706433":       "192.0.2.1",
		" read:workspace":             "did you mean read?",
	} {
		_, err := ParsePermission(text)
		var wordErr *PermissionError
		if !errors.As(err, &wordErr) || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), "permission "+shown(text)) {
			t.Errorf("%q: got %v, want %q", text, err, says)
		}
	}
	var urlErr *URLError
	if _, err := ParsePermission("net:http://0x1/"); !errors.As(err, &urlErr) || urlErr.Reason != URLNumericHost {
		t.Errorf("got %v", err)
	}
	if _, err := ParsePermission("read:\x1b[2J" + strings.Repeat("x", 1000)); err == nil || strings.ContainsAny(err.Error(), "\x1b") || len(err.Error()) > 400 {
		t.Errorf("got %q", err)
	}
}

func FuzzParsePermission(f *testing.F) {
	for _, w := range []string{"read:workspace", "net:GET,HEAD:https://*.example.com/a", "net-private:http://[::1]:1/", "kv:write", "clock", "net:any", "env:LANG", "secret:T", "net:GET:any"} {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, err := ParsePermission(text)
		if err != nil {
			if w != (Permission{}) {
				t.Fatalf("%q: an error and %+v", text, w)
			}
			return
		}
		again, err := ParsePermission(w.String())
		if err != nil || again != w {
			t.Fatalf("%q: %s reads back as %+v, %v", text, w, again, err)
		}
		if taken, ok := (Deny{w}).Takes(w); !ok || taken != w {
			t.Fatalf("%s does not deny itself", w)
		}
	})
}

func TestBroad(t *testing.T) {
	list := permissions(t, "read:ws", "write:ws", "write:tmp", "net:https://api.example.com", "net:any", "net:GET:any", "net:https://*.co.uk/a", "net-private:https://nas.example", "net-private:https://*.corp.example", "net:http://localhost:3000", "env:LANG", "secret:T", "kv:write", "clock")
	var got []string
	for _, f := range Broad(list...) {
		if f.Why == "" {
			t.Errorf("%s is flagged without a reason", f.Permission)
		}
		got = append(got, f.Permission.String())
	}
	want := []string{"write:ws", "net:any", "net:GET:any", "net:https://*.co.uk/a", "net-private:https://nas.example/", "net-private:https://*.corp.example/", "net:http://localhost:3000/"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if Broad() != nil {
		t.Error("a warning without permissions")
	}
}

// TestIsScratch checks that a secret, variable or store with the name of the scratch mount is not
// scratch space.
func TestIsScratch(t *testing.T) {
	for text, want := range map[string]bool{
		"read:tmp": true, "write:tmp": true, "read:ws": false, "env:tmp": false, "secret:tmp": false, "clock": false,
	} {
		if got := permission(t, text).IsScratch(); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestNewPermission(t *testing.T) {
	for _, text := range []string{"read:ws", "net:GET:https://a.example/", "net-private:https://nas.example/", "env:LANG", "secret:T", "kv:write"} {
		want := permission(t, text)
		kind, rest, _ := strings.Cut(text, ":")
		if got, err := NewPermission(Kind(kind), rest); err != nil || got != want {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
	for kind, rest := range map[Kind]string{KindRead: "A", KindSecret: "*", KindEnv: "", KindNet: "ftp://a.example", KindKV: "none", KindClock: "", "other": "x"} {
		_, want := ParsePermission(string(kind) + ":" + rest)
		var fault *PermissionError
		if _, err := NewPermission(kind, rest); !errors.As(want, &fault) || err == nil || err.Error() != fault.Problem.Error() {
			t.Errorf("%s of %q: got %v, want %v", kind, rest, err, want)
		}
	}
}
