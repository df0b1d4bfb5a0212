package egress_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// world is a network in memory: names with their addresses, and servers at these addresses.
// Connections are pipes, so it works inside a synctest bubble.
type world struct {
	t       testing.TB
	mu      sync.Mutex
	answer  func(host string, nth int) []netip.Addr
	servers map[string]*listener
	sockets map[string]string // maps an address in this world to an address on this machine
	lookups []string          // hosts
	dials   []string          // addresses
	roots   *x509.CertPool
}

const publicIP = "93.184.216.34"

// newWorld returns a world in which every name resolves to publicIP.
func newWorld(t testing.TB) *world {
	w := &world{t: t, servers: map[string]*listener{}}
	w.answer = func(string, int) []netip.Addr { return []netip.Addr{netip.MustParseAddr(publicIP)} }
	return w
}

func (w *world) lookup(_ context.Context, _, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	nth := 0
	for _, h := range w.lookups {
		if h == host {
			nth++
		}
	}
	w.lookups = append(w.lookups, host)
	addrs := w.answer(host, nth)
	if addrs == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return addrs, nil
}

func (w *world) dial(ctx context.Context, _, address string) (net.Conn, error) {
	w.mu.Lock()
	w.dials = append(w.dials, address)
	l, socket := w.servers[address], w.sockets[address]
	w.mu.Unlock()
	if socket != "" {
		return (&net.Dialer{}).DialContext(ctx, "tcp", socket)
	}
	if l == nil {
		return nil, errors.New("connect: connection refused at " + address)
	}
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w *world) dialled() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.dials...)
}

func (w *world) lookedUp() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.lookups...)
}

// listen opens a server at an address.
func (w *world) listen(address string) *listener {
	l := &listener{conns: make(chan net.Conn), done: make(chan struct{})}
	w.mu.Lock()
	w.servers[address] = l
	w.mu.Unlock()
	return l
}

// serve answers plain HTTP at address, "IP:PORT", until the test ends.
func (w *world) serve(address string, h http.Handler) {
	l := w.listen(address)
	s := &http.Server{Handler: h}
	go s.Serve(l)
	w.t.Cleanup(func() { s.Close() })
}

// serveTLS answers https at address for the hosts, over HTTP/2 if the client supports it.
func (w *world) serveTLS(address string, h http.Handler, hosts ...string) {
	cert, roots := newCert(w.t, time.Now().Add(time.Hour), hosts...)
	w.roots = roots
	s := &http.Server{Handler: h, TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}, ErrorLog: log.New(io.Discard, "", 0)}
	l := w.listen(address)
	go s.ServeTLS(l, "", "")
	w.t.Cleanup(func() { s.Close() })
}

// serveRaw calls f with each connection to address.
func (w *world) serveRaw(address string, f func(net.Conn)) {
	l := w.listen(address)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				f(conn)
			}()
		}
	}()
	w.t.Cleanup(func() { l.Close() })
}

// client returns a client of this world with the options o. Without o.Permit, every request is
// permitted.
func (w *world) client(o egress.Options) *egress.Client {
	if o.Normalise == nil {
		o.Normalise = normalise
	}
	if o.Permit == nil {
		o.Permit = permitAll
	}
	o.LookupNetIP, o.Dial = w.lookup, w.dial
	if o.Roots == nil {
		o.Roots = w.roots
	}
	c := egress.New(o)
	w.t.Cleanup(c.Close)
	return c
}

func permitAll(string, *url.URL) (egress.Decision, bool) {
	return egress.Decision{Rule: "net:any"}, true
}

// permitHosts permits every method for the given hosts.
func permitHosts(hosts ...string) func(string, *url.URL) (egress.Decision, bool) {
	return func(_ string, u *url.URL) (egress.Decision, bool) {
		for i, h := range hosts {
			if u.Host == h {
				return egress.Decision{ID: i, Rule: "net:" + h}, true
			}
		}
		return egress.Decision{}, false
	}
}

// normalise normalises only the parts of a URL that matter in these tests.
func normalise(u *url.URL) (*url.URL, error) {
	out := *u
	out.Host = strings.ToLower(u.Host)
	out.RawQuery = strings.NewReplacer(" ", "%20", `"`, "%22").Replace(u.RawQuery)
	return &out, nil
}

type listener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *listener) Addr() net.Addr { return &net.TCPAddr{} }

// newCert returns a certificate for hosts, and a pool that trusts it.
func newCert(t testing.TB, until time.Time, hosts ...string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: until.Add(-24 * time.Hour), NotAfter: until,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true,
		DNSNames: hosts,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, roots
}

// scrubber hides one value, even if it is split between reads.
type scrubber struct {
	secret string
	held   []byte
}

func scrubbing(secret string) func() egress.Scrubber {
	return func() egress.Scrubber { return &scrubber{secret: secret} }
}

const hidden = "[hidden]"

func (s *scrubber) Scrub(p []byte, atEnd bool) []byte {
	all := bytes.ReplaceAll(append(s.held, p...), []byte(s.secret), []byte(hidden))
	keep := 0
	if !atEnd {
		for n := min(len(s.secret)-1, len(all)); n > 0; n-- {
			if strings.HasPrefix(s.secret, string(all[len(all)-n:])) {
				keep = n
				break
			}
		}
	}
	s.held = bytes.Clone(all[len(all)-keep:])
	return all[:len(all)-keep]
}

// get makes a GET request and reads the whole body.
func get(t testing.TB, c *egress.Client, u string) (*egress.Response, string, error) {
	t.Helper()
	res, err := c.Do(t.Context(), egress.Request{URL: u})
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res, string(text), err
}

// wantKind fails the test unless err is an *Error of that kind, and returns the *Error.
func wantKind(t testing.TB, err error, kind egress.Kind) *egress.Error {
	t.Helper()
	var e *egress.Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %v (%T), want an *Error of kind %s", err, err, kind)
	}
	if e.Kind != kind {
		t.Fatalf("kind is %s (%v), want %s", e.Kind, err, kind)
	}
	return e
}

func redirectTo(status int, location string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", location)
		w.WriteHeader(status)
	}
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, s)
	}
}

// addressBook returns a look-up function. The function finds hosts in book, where "" means that the
// host does not exist, and calls the function other for all hosts that are not in the book.
func addressBook(book map[string]string, other func(string, int) []netip.Addr) func(string, int) []netip.Addr {
	return func(host string, nth int) []netip.Addr {
		addr, ok := book[host]
		switch {
		case !ok:
			return other(host, nth)
		case addr == "":
			return nil
		}
		return []netip.Addr{netip.MustParseAddr(addr)}
	}
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	zw := gzip.NewWriter(&b)
	zw.Write(data)
	zw.Close()
	return b.Bytes()
}
