package extism

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	extism "github.com/extism/go-sdk"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/runtime"
)

// todo is the response body that the "http" plug-in expects.
const todo = `{"userId": 1, "id": 1, "title": "delectus aut autem", "completed": false}`

// grantURL returns a grant for GET requests to a URL, which may be on a private network.
func grantURL(t *testing.T, url string) capability.Grant {
	t.Helper()
	pattern, err := capability.ParseURLPattern(url)
	if err != nil {
		t.Fatal(err)
	}
	return capability.Grant{Net: []capability.GrantedNet{{URL: pattern, Methods: []string{"GET"}, Private: true}}}
}

// callRuntime calls a plug-in once with package runtime.
func callRuntime(t *testing.T, file, export, input string, a access) (runtime.Output, error) {
	t.Helper()
	m := load(t, newRuntime(t), readPlugin(t, file))
	entry, err := m.Entry(runtime.Extism, export)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	return m.Call(ctx, runtime.Call{Entry: entry, Input: []byte(input), Bindings: bind(t, a)})
}

// TestRequestNeedsGrant sends the plug-in's request over TLS, with and without the grant.
func TestRequestNeedsGrant(t *testing.T) {
	t.Parallel()
	const host = "jsonplaceholder.typicode.com"
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == host && r.URL.Path == "/todos/1" {
			fmt.Fprint(w, todo)
		}
	}))
	certificate := certificateFor(t, host)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(certificate.Leaf)
	world := egress.Transport{
		Roots: roots,
		LookupNetIP: func(context.Context, string, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
		},
	}
	out, err := callRuntime(t, "http", "run_test", "", access{grant: grantURL(t, "https://"+host+"/"), http: world})
	if err != nil || string(out.Output) != todo {
		t.Errorf("%q, %v", out.Output, err)
	}
	_, err = callRuntime(t, "http", "run_test", "", access{grant: grantURL(t, "https://example.com/"), http: world})
	if err == nil || !strings.Contains(err.Error(), "the tool may send GET to https://example.com/") {
		t.Errorf("without the grant: %v", err)
	}
}

// TestResponseHeadersMatchSDK checks that a plug-in sees the same response headers as with the SDK.
func TestResponseHeadersMatchSDK(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", "today")
		w.Header().Add("X-Two", "one")
		w.Header().Add("X-Two", "two, <three>")
		fmt.Fprint(w, "hello")
	}))
	defer server.Close()
	input := fmt.Sprintf(`{"url": %q}`, server.URL)
	ours, err := callRuntime(t, "http_headers", "http_get", input, access{grant: grantURL(t, server.URL+"/")})
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := callWithSDK(t.Context(), t, extism.Manifest{
		Wasm: []extism.Wasm{extism.WasmData{Data: readPlugin(t, "http_headers")}}, AllowedHosts: []string{"127.0.0.1"},
	}, "http_get", input)
	if err != nil {
		t.Fatal(err)
	}
	var here, there map[string]string
	if err := json.Unmarshal(ours.Output, &here); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(theirs, &there); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x-two", "date", "content-type", "content-length"} {
		if here[name] != there[name] || name == "x-two" && here[name] != "one,two, <three>" {
			t.Errorf("%s: %q, with the SDK %q", name, here[name], there[name])
		}
	}
}

func TestSleepingPluginStopsAtDeadline(t *testing.T) {
	t.Parallel()
	m := load(t, newRuntime(t), readPlugin(t, "sleep"))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := m.Call(ctx, runtime.Call{
		Entry: runtime.Entry{ABI: runtime.Extism, Export: "run_test"}, Config: map[string]string{"duration": "3600"},
		Bindings: bind(t, access{grant: capability.Grant{Clock: true}}),
	})
	if e, ok := err.(*runtime.Error); !ok || e.Reason != runtime.Timeout {
		t.Errorf("got %v", err)
	}
}

// certificateFor makes a self-signed certificate for a host.
func certificateFor(t *testing.T, host string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{host}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}
