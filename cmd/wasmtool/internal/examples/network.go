package examples

import (
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
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/manifests"
)

// network is a server in memory in place of all servers of the world. It is below package egress,
// which checks, limits and scrubs the requests of an example in the same way as real ones, and
// speaks TLS with a server that has a certificate for every host.
type network struct {
	server http.Server
	conns  chan net.Conn
	closed chan struct{}
	key    *ecdsa.PrivateKey
	issuer *x509.Certificate

	mu      sync.Mutex
	handler http.Handler // of the example that runs; nil means that the example has no network
	wanted  string       // the last host that an example without network asked for
}

func newNetwork() (*network, error) {
	n := &network{conns: make(chan net.Conn), closed: make(chan struct{})}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	n.key = key
	n.issuer = &x509.Certificate{Subject: pkix.Name{CommonName: "wasmtool test"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := n.sign(n.issuer)
	if err != nil {
		return nil, err
	}
	if n.issuer, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	n.server = http.Server{Handler: n, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = n.server.Serve(listener{n}) }() // ends with an error when n is closed
	return n, nil
}

// sign returns a certificate that is valid for a day, signed by the issuer.
func (n *network) sign(c *x509.Certificate) ([]byte, error) {
	c.SerialNumber = big.NewInt(1)
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	return x509.CreateCertificate(rand.Reader, c, n.issuer, &n.key.PublicKey, n.key)
}

// certificate returns a certificate for the host that a client asks for. A client that asks for an
// address sends no name.
func (n *network) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	c := &x509.Certificate{DNSNames: []string{hello.ServerName}}
	if hello.ServerName == "" {
		address, err := netip.ParseAddrPort(hello.Conn.LocalAddr().String())
		if err != nil {
			return nil, err
		}
		c = &x509.Certificate{IPAddresses: []net.IP{address.Addr().AsSlice()}}
	}
	der, err := n.sign(c)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: n.key}, err
}

// transport returns base with this network in place of the real one. Unless resolve is set, it does
// not look names up either.
func (n *network) transport(base egress.Transport, resolve bool) egress.Transport {
	base.Roots, base.Dial = x509.NewCertPool(), n.dial
	base.Roots.AddCert(n.issuer)
	if !resolve {
		base.LookupNetIP = n.lookup
	}
	return base
}

// use makes h answer the requests from now on, and returns the host that the example before it
// asked for without having a network, or "".
func (n *network) use(h http.Handler) (wanted string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	wanted, n.wanted, n.handler = n.wanted, "", h
	return wanted
}

// current returns the handler. If there is none, it notes the host.
func (n *network) current(host string) http.Handler {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.handler == nil {
		n.wanted = host
	}
	return n.handler
}

// errOffline is the error of every request of an example without network.
var errOffline = errors.New("the example has no network")

// lookup returns a public address for each name, which is never dialled, but loopback for the names
// that mean loopback, so that the check of private addresses is the real one.
func (n *network) lookup(_ context.Context, _, host string) ([]netip.Addr, error) {
	switch {
	case n.current(host) == nil:
		return nil, errOffline
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
	}
	return []netip.Addr{netip.AddrFrom4([4]byte{1, 1, 1, 1})}, nil
}

func (n *network) dial(_ context.Context, _, address string) (net.Conn, error) {
	if n.current(address) == nil {
		return nil, errOffline
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, err
	}
	client, server := net.Pipe()
	go n.accept(&serverConn{Conn: server, local: net.TCPAddrFromAddrPort(at)})
	return client, nil
}

// tlsHandshake is the first byte that a client with TLS sends.
const tlsHandshake = 0x16

// accept hands a connection to the server. The first byte says whether the client speaks TLS.
func (n *network) accept(c *serverConn) {
	var first [1]byte
	if _, err := io.ReadFull(c.Conn, first[:]); err != nil {
		_ = c.Close() // the client is gone
		return
	}
	c.first = first[:]
	var conn net.Conn = c
	if first[0] == tlsHandshake {
		// A pipe has no buffer: a server that sends tickets while the client ends its handshake
		// would wait for the client for ever, and the client for the server.
		conn = tls.Server(c, &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: n.certificate, SessionTicketsDisabled: true})
	}
	select {
	case n.conns <- conn:
	case <-n.closed:
		_ = c.Close() // no request was read
	}
}

// ServeHTTP passes a request to the handler of the example that runs.
func (n *network) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := n.current(r.Host)
	if h == nil {
		panic(http.ErrAbortHandler) // a request of an example that has ended
	}
	h.ServeHTTP(w, r)
}

func (n *network) close() error { return n.server.Close() }

// serverConn is the server's end of a connection.
type serverConn struct {
	net.Conn
	first []byte // bytes that were read already
	local net.Addr
}

func (c *serverConn) Read(p []byte) (int, error) {
	if len(c.first) > 0 && len(p) > 0 {
		n := copy(p, c.first)
		c.first = c.first[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

// LocalAddr returns the address that the client has dialled.
func (c *serverConn) LocalAddr() net.Addr { return c.local }

// listener is the source of the server's connections.
type listener struct{ n *network }

func (l listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.n.conns:
		return conn, nil
	case <-l.n.closed:
		return nil, net.ErrClosed
	}
}

// Close is called once, when the server is closed.
func (l listener) Close() error {
	close(l.n.closed)
	return nil
}

func (l listener) Addr() net.Addr { return &net.TCPAddr{} }

// urlOf returns the canonical URL of a request, without the query parameters that hold secrets.
func urlOf(r *http.Request, secret []string) string {
	u := *r.URL
	u.Scheme, u.Host = "http", r.Host
	if r.TLS != nil {
		u.Scheme = "https"
	}
	if normal, err := capability.NormaliseURL(&u); err == nil { // it is canonical
		u = *normal
	}
	return withoutSecrets(&u, secret)
}

func withoutSecrets(u *url.URL, secret []string) string {
	pairs := slices.DeleteFunc(strings.Split(u.RawQuery, "&"), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		return err == nil && slices.Contains(secret, name)
	})
	u.RawQuery = strings.Join(pairs, "&")
	return u.String()
}

// secretParameters returns the query parameters in which the host sends secrets of a tool.
func secretParameters(m *manifests.Manifest) (names []string) {
	for _, n := range m.Permissions.Net {
		for _, s := range n.Secrets {
			if s.Query != "" {
				names = append(names, s.Query)
			}
		}
	}
	return names
}
