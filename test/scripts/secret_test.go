package scripts

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// A server that echoes a secret cannot make a script show it: in a result of any kind, a log, an
// exception, a traceback or an exit. The script does not even get the secret: it cannot show it
// reversed or letter by letter.
func TestEchoedSecretsAreHidden(t *testing.T) {
	got := 0
	server := func(w http.ResponseWriter, r *http.Request) {
		header := r.Header.Get("Authorization")
		if strings.Contains(header, secret) {
			got++
		}
		quoted, _ := json.Marshal(header)
		w.Header().Set("X-Echo", base64.StdEncoding.EncodeToString([]byte(header)))
		fmt.Fprintln(w, map[string]string{
			"/plain": header, "/json": string(quoted), "/base64": base64.StdEncoding.EncodeToString([]byte(header)),
			"/hex": hex.EncodeToString([]byte(header)), "/url": url.QueryEscape(header),
		}[r.URL.Path])
	}
	for _, l := range []language{javaScript, python} {
		t.Run(l.name, func(t *testing.T) {
			l.needs(t)
			got = 0
			lab := hostile(t, l, "echoes."+l.end, server)
			paths := []string{"/plain", "/json", "/base64", "/hex", "/url"}
			for _, path := range paths[:testlevel.Size(2, len(paths))] {
				for _, end := range []string{"return", "raise", "error", "exit", "structured", "image", "traceback"} {
					before := got
					o := lab.call(t, "", "hostile", fmt.Sprintf(`{"path": %q, "end": %q}`, path, end))
					if got != before+1 {
						t.Errorf("%s, %s: the server did not get the secret: %s", path, end, o.everything())
					}
					for _, text := range []string{o.everything(), lab.logged()} {
						for _, form := range forms {
							if strings.Contains(text, form) {
								t.Errorf("%s, %s: the text shows %s in %.500s", path, end, form, text)
							}
						}
					}
				}
			}
		})
	}
}

// A secret that the host sends for a tool is hidden in what a script of code gets from this tool,
// whatever the script then does with it: in its result, its errors and its pieces.
func TestCodeSeesNoSecretOfTools(t *testing.T) {
	got := 0
	lab := hostile(t, javaScript, "echoes.js", func(w http.ResponseWriter, r *http.Request) {
		header := r.Header.Get("Authorization")
		if strings.Contains(header, secret) {
			got++
		}
		fmt.Fprint(w, header)
	})
	for _, end := range []string{"return", "raise", "error", "exit", "structured", "image", "traceback"} {
		before := got
		script := fmt.Sprintf(`
let seen;
try { seen = JSON.stringify(await tools.call("hostile", { path: "/plain", end: %q })); } catch (e) { seen = e.kind + e.message + e.stack; }
const pieces = [...seen].reverse().join("") + JSON.stringify([...seen]);
print(seen, pieces, btoa(unescape(encodeURIComponent(seen))));
return [seen.length > 20 ? "got something" : "", (await import("wasmtool")).secretExists("TOKEN")].join();`, end)
		arguments, err := json.Marshal(map[string]string{"language": "js", "script": script})
		if err != nil {
			t.Fatal(err)
		}
		o := lab.call(t, "", "code", string(arguments))
		if got != before+1 || !strings.Contains(o.text, "got something,false") {
			t.Errorf("%s: the server did not get the secret, or the script nothing: %.500s", end, o.everything())
		}
		for _, text := range []string{o.everything(), lab.logged()} {
			for _, form := range forms {
				if strings.Contains(text, form) {
					t.Errorf("%s: the text shows %s in %.500s", end, form, text)
				}
			}
		}
	}
}

// forms are the encodings in which a secret must not be visible. The end of base64 depends on what
// follows the secret.
var forms = []string{
	secret, `tok/EN+\"canary\\<7Qz?&é=`, url.QueryEscape(secret), hex.EncodeToString([]byte(secret)),
	base64.StdEncoding.EncodeToString([]byte("Bearer " + secret))[12:36], "Qz7<\\yranac", `"c","a","n","a","r","y"`,
}

// serve makes the lab's requests go to a server with the handler.
func serve(t *testing.T, s *setup, handler http.HandlerFunc) {
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	s.HTTP.LookupNetIP, s.HTTP.Dial, s.HTTP.Roots = publicAddress, dialTo(server), roots(server)
}

// publicAddress gives every name the same public address.
func publicAddress(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
}

// dialTo connects every address to a server.
func dialTo(server *httptest.Server) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
	}
}

// roots trusts a server, whose certificate is valid for example.com and the names below it.
func roots(server *httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	return pool
}
