package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"syscall"
	"time"
)

const (
	// connectTime bounds the attempt to connect to one address.
	connectTime = 10 * time.Second
	// fallbackDelay is how long one address is tried alone before the next one is
	// tried beside it (RFC 8305).
	fallbackDelay = 250 * time.Millisecond
	// maxAddresses is how many addresses of a name are tried.
	maxAddresses = 8
)

// dialer connects to hosts of one kind: those that may be private, or those that may
// not. Each kind has a transport of its own, so that a connection made under one rule
// is never found in the pool by a request under the other.
type dialer struct {
	opts    *Options
	conns   *connSet
	tls     *tls.Config
	private bool
}

// dialPlain connects for http.
func (d *dialer) dialPlain(ctx context.Context, network, hostPort string) (net.Conn, error) {
	conn, err := d.dial(ctx, network, hostPort)
	if err != nil {
		return nil, err
	}
	return newPatientConn(conn), nil
}

// dialTLS connects for https. Net/http sees only from a *tls.Conn that HTTP/2 was
// agreed on.
func (d *dialer) dialTLS(ctx context.Context, network, hostPort string) (net.Conn, error) {
	raw, err := d.dial(ctx, network, hostPort)
	if err != nil {
		return nil, err
	}
	config := d.tls.Clone()
	config.ServerName, _, _ = net.SplitHostPort(hostPort) // dial has split it
	conn := tls.Client(raw, config)
	shaking, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	if err := conn.HandshakeContext(shaking); err != nil {
		_ = raw.Close() // nothing was sent on it
		return nil, refuse(KindTLS, tlsReason(err))
	}
	if conn.ConnectionState().NegotiatedProtocol == "h2" {
		return conn, nil
	}
	return newPatientConn(conn), nil
}

// dial resolves the host of a URL, checks every address and connects to one of them.
func (d *dialer) dial(ctx context.Context, _, hostPort string) (net.Conn, error) {
	host, portText, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, refuse(KindURL, "the host or port of the URL is malformed")
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, refuse(KindURL, "the port of the URL must be 1 to 65535")
	}
	addrs, named, err := d.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	allowed, refusal := d.allowed(addrs, uint16(port), named)
	if refusal != nil {
		return nil, refusal
	}
	conn, err := d.race(ctx, allowed, named)
	if err != nil {
		return nil, err
	}
	if conn = d.conns.add(conn); conn == nil {
		return nil, errClosed()
	}
	return conn, nil
}

// resolve returns the addresses of host, and whether host is an address itself.
func (d *dialer) resolve(ctx context.Context, host string) ([]netip.Addr, bool, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}, true, nil
	}
	addrs, err := d.opts.LookupNetIP(ctx, "ip", host)
	var dns *net.DNSError
	switch {
	case err == nil && len(addrs) > 0:
		return addrs, false, nil
	case ctx.Err() != nil:
		return nil, false, ctx.Err()
	case err == nil, errors.As(err, &dns) && dns.IsNotFound:
		return nil, false, refuse(KindDNS, "there is no such host")
	}
	return nil, false, refuse(KindDNS, "the name of the host could not be resolved")
}

// allowed returns the addresses that may be dialled, or why none may.
func (d *dialer) allowed(addrs []netip.Addr, port uint16, named bool) ([]netip.AddrPort, *Error) {
	var out []netip.AddrPort
	var refusal *Error
	for _, a := range addrs {
		if err := checkAddress(a, d.private, named); err != nil {
			refusal = err
			continue
		}
		if len(out) < maxAddresses {
			out = append(out, netip.AddrPortFrom(a.Unmap(), port))
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	return nil, refusal
}

// attempt is the outcome of connecting to one address.
type attempt struct {
	conn net.Conn
	err  error
}

// race connects to the addresses in their order, the next one as soon as one fails or
// has not answered for a while, and returns the first connection.
func (d *dialer) race(ctx context.Context, addrs []netip.AddrPort, named bool) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan attempt, len(addrs)) // nobody who lost waits to tell
	var first error
	for pending := 0; len(addrs) > 0 || pending > 0; {
		var late <-chan time.Time
		if len(addrs) > 0 {
			addr := addrs[0]
			addrs = addrs[1:]
			pending++
			go func() {
				conn, err := d.connect(ctx, addr, named)
				results <- attempt{conn, err}
			}()
		}
		if len(addrs) > 0 {
			late = time.After(fallbackDelay)
		}
		select {
		case r := <-results:
			pending--
			if r.err == nil {
				go closeAll(results, pending)
				return r.conn, nil
			}
			if first == nil {
				first = r.err
			}
		case <-late:
		case <-ctx.Done():
			go closeAll(results, pending)
			return nil, ctx.Err()
		}
	}
	return nil, first
}

// closeAll closes the connections of the n attempts that are still to report.
func closeAll(results <-chan attempt, n int) {
	for range n {
		if r := <-results; r.conn != nil {
			_ = r.conn.Close() // nothing was sent on it
		}
	}
}

// connect connects to one address.
func (d *dialer) connect(ctx context.Context, addr netip.AddrPort, named bool) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	dial := d.opts.Dial
	if dial == nil {
		dial = (&net.Dialer{Control: d.control(named)}).DialContext
	}
	conn, err := dial(ctx, "tcp", addr.String())
	if err == nil {
		return conn, nil
	}
	var refusal *Error
	var timeout net.Error
	switch {
	case errors.As(err, &refusal):
		return nil, refusal
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return nil, refuse(KindConnect, "the host did not answer in time")
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil, refuse(KindConnect, "the host refused the connection")
	}
	return nil, refuse(KindConnect, "the host could not be connected to")
}

// control checks the address that a socket is about to connect to. It sees what the
// kernel will see, whatever the look-up said.
func (d *dialer) control(named bool) func(string, string, syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		addr, err := netip.ParseAddrPort(address)
		if err != nil {
			return refuse(KindAddress, "the address of the host is malformed")
		}
		if refusal := checkAddress(addr.Addr(), d.private, named); refusal != nil {
			return refusal
		}
		return nil
	}
}

// newTransport returns the connections of one kind of host. Nothing of the process is
// in it: no proxy, no default transport, no shared pool.
func newTransport(o *Options, conns *connSet, private bool) *http.Transport {
	d := &dialer{opts: o, conns: conns, private: private, tls: &tls.Config{
		MinVersion:         tls.VersionTLS12,
		RootCAs:            o.Roots,
		NextProtos:         []string{"h2", "http/1.1"},
		ClientSessionCache: tls.NewLRUClientSessionCache(8), // of this Client only
	}}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &http.Transport{
		Proxy:          nil, // not http.ProxyFromEnvironment, which would defeat every check
		DialContext:    d.dialPlain,
		DialTLSContext: d.dialTLS,
		// The body is decompressed here, where what comes out is counted.
		DisableCompression: true,
		// An HTTP/1 connection serves one request (see patientConn). Those of HTTP/2 are
		// kept elsewhere and serve many.
		MaxIdleConnsPerHost:    -1,
		MaxResponseHeaderBytes: o.Limits.HeaderBytes,
		Protocols:              &protocols,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerConnection: 2 << 20,
			MaxReceiveBufferPerStream:     1 << 20,
		},
	}
}
