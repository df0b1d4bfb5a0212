package attack

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// Addresses of the world: a public address, and the address that serves credentials in clouds.
const (
	public   = "93.184.216.34"
	metadata = "169.254.169.254"
)

// world is a simulated internet. All addresses lead to one server, which uses TLS only at port 443.
// A request that arrives has passed all checks.
type world struct {
	plain, secure *httptest.Server

	mu sync.Mutex
	// answers maps names to the results of their lookups: one list of addresses for each lookup.
	// The last list is used for all further lookups. Other names have the address public.
	answers map[string][]string
	lookups []string
	dials   []string
	seen    []*http.Request
}

// newWorld returns a world whose server uses the handler.
func newWorld(t testing.TB, handler http.HandlerFunc) *world {
	w := &world{answers: make(map[string][]string)}
	noted := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.seen = append(w.seen, r.Clone(context.Background()))
		w.mu.Unlock()
		handler(rw, r)
	})
	w.plain, w.secure = httptest.NewServer(noted), httptest.NewUnstartedServer(noted)
	w.secure.Config.ErrorLog = quiet()
	w.secure.EnableHTTP2 = true
	w.secure.StartTLS()
	t.Cleanup(w.secure.Close)
	t.Cleanup(w.plain.Close)
	return w
}

// options returns the options of an HTTP client in this world.
func (w *world) options() egress.Transport {
	roots := x509.NewCertPool()
	roots.AddCert(w.secure.Certificate()) // valid for example.com and *.example.com
	return egress.Transport{LookupNetIP: w.lookup, Dial: w.dial, Roots: roots}
}

func (w *world) lookup(_ context.Context, network, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lookups = append(w.lookups, host)
	texts := public
	if answers := w.answers[host]; len(answers) > 0 {
		texts = answers[0]
		if len(answers) > 1 {
			w.answers[host] = answers[1:]
		}
	}
	var found []netip.Addr
	for text := range strings.SplitSeq(texts, " ") {
		if text != "" {
			found = append(found, netip.MustParseAddr(text))
		}
	}
	if len(found) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return found, nil
}

func (w *world) dial(ctx context.Context, _, address string) (net.Conn, error) {
	w.mu.Lock()
	w.dials = append(w.dials, address)
	w.mu.Unlock()
	server := w.plain
	if strings.HasSuffix(address, ":443") {
		server = w.secure
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", server.Listener.Addr().String())
}

// asked returns the names that were looked up and the addresses that were dialled since asked was
// last called.
func (w *world) asked() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := slices.Concat(w.lookups, w.dials)
	w.lookups, w.dials = nil, nil
	return all
}

// requests returns the requests that the server received since requests was last called.
func (w *world) requests() []*http.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.seen
	w.seen = nil
	return all
}
