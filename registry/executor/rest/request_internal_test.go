package rest

import (
	"net/url"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/placeholder"
)

// FuzzURLPath searches for arguments that change the number of path segments, or that a server
// would read as another host or as a query.
func FuzzURLPath(f *testing.F) {
	template, err := placeholder.Parse("/v1/{a}/x{b}{a}/y")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range [][2]string{
		{"a", "b"}, {"..", "."}, {"%2e%2e", "%2f"}, {"?q=1", "#f"}, {"//evil.example", "@evil.example"}, {"..;", ";"}, {`..\`, "\x00"}, {"é", "\xff"}, {"{b}", "{a}"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		values := map[string]string{"a": a, "b": b}
		path, err := urlPath(template, func(name string) (string, bool) { return values[name], true })
		if err != nil {
			return
		}
		u, err := url.Parse("https://host.example" + path)
		if err != nil {
			t.Fatalf("%q is not a URL: %v", path, err)
		}
		if u.Host != "host.example" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery {
			t.Errorf("%q and %q lead to %s", a, b, u)
		}
		normal, err := capability.NormaliseURL(u)
		if err != nil {
			return // the request is refused
		}
		segments := strings.Split(normal.EscapedPath(), "/")
		if len(segments) != 5 || segments[1] != "v1" || segments[4] != "y" {
			t.Errorf("%q and %q make the path %s", a, b, normal.EscapedPath())
		}
	})
}
