package egress

import (
	"cmp"
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
	// connectTime limits the attempt to connect to one address.
	connectTime = 10 * time.Second
	// fallbackDelay is how long an attempt may stay unanswered before the next address is
	// tried as well (RFC 8305).
	fallbackDelay = 250 * time.Millisecond
	// maxAddresses limits how many addresses of a name are tried.
	maxAddresses = 8
)

// dialer opens connections for one http.Transport. Requests that may reach private
// addresses have their own dialer and transport. Otherwise a request without that
// permission could reuse a pooled connection to a private address.
type dialer struct {
	opts    *Options
	conns   *connSet
	tls     *tls.Config
	private bool
}

// dialPlain opens a connection for http.
func (d *dialer) dialPlain(ctx context.Context, network, hostPort string) (net.Conn, error) {
	conn, err := d.dial(ctx, network, hostPort)
	if err != nil {
		return nil, err
	}
	return newPatientConn(conn), nil
}

// dialTLS opens a connection for https. It returns a *tls.Conn for HTTP/2, because net/http
// recognises a negotiated HTTP/2 only by that type.
func (d *dialer) dialTLS(ctx context.Context, network, hostPort string) (net.Conn, error) {
	raw, err := d.dial(ctx, network, hostPort)
	if err != nil {
		return nil, err
	}
	config := d.tls.Clone()
	config.ServerName, _, _ = net.SplitHostPort(hostPort) // cannot fail: dial has split it already
	conn := tls.Client(raw, config)
	shaking, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	if err := conn.HandshakeContext(shaking); err != nil {
		_ = raw.Close() // the handshake error is the one to report
		return nil, refuse(KindTLS, tlsReason(err))
	}
	if conn.ConnectionState().NegotiatedProtocol == "h2" {
		return conn, nil
	}
	return newPatientConn(conn), nil
}

// dial resolves the host, checks every address, and connects to one of the allowed addresses.
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

// resolve returns the addresses of host, and whether host itself is an IP address.
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

// allowed returns the addresses that may be dialled, or the last refusal if there are none.
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

// race connects to addrs in their order and returns the first connection. It tries the
// next address as soon as one fails, or after fallbackDelay without an answer.
func (d *dialer) race(ctx context.Context, addrs []netip.AddrPort, named bool) (net.Conn, error) {
	type attempt struct {
		conn net.Conn
		err  error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the other attempts
	results := make(chan attempt)
	var first error
	for started, failed := 0, 0; failed < len(addrs); {
		var next <-chan time.Time
		if started < len(addrs) {
			addr := addrs[started]
			started++
			go func() {
				conn, err := d.connect(ctx, addr, named)
				select {
				case results <- attempt{conn, err}:
				case <-ctx.Done():
					if conn != nil {
						// another connection was faster; nothing was sent on this one
						_ = conn.Close()
					}
				}
			}()
		}
		if started < len(addrs) {
			next = time.After(fallbackDelay)
		}
		select {
		case r := <-results:
			if r.err == nil {
				return r.conn, nil
			}
			failed++
			first = cmp.Or(first, r.err)
		case <-next:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, first
}

// connect connects to one address within connectTime.
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
	return nil, refuse(KindConnect, "the connection to the host failed")
}

// control returns a net.Dialer.Control that checks the address once more. It sees the address that
// the kernel will connect to. An attacker therefore gains nothing by answering a second look-up
// differently.
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

// newTransport returns a transport that connects to public addresses and, if private is true, to
// private ones. It uses no state of the process: no proxy, no default transport, no shared pool.
func newTransport(o *Options, conns *connSet, private bool) *http.Transport {
	d := &dialer{opts: o, conns: conns, private: private, tls: &tls.Config{
		MinVersion:         tls.VersionTLS12,
		RootCAs:            o.Roots,
		NextProtos:         []string{"h2", "http/1.1"},
		ClientSessionCache: tls.NewLRUClientSessionCache(8), // not shared with other Clients
	}}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &http.Transport{
		Proxy:          nil, // not http.ProxyFromEnvironment, which would defeat every check
		DialContext:    d.dialPlain,
		DialTLSContext: d.dialTLS,
		// This package decompresses bodies itself, to limit their decompressed size.
		DisableCompression: true,
		// An HTTP/1 connection serves one request (see patientConn). This does not limit
		// HTTP/2 connections, which serve many requests.
		MaxIdleConnsPerHost:    -1,
		MaxResponseHeaderBytes: o.Limits.HeaderBytes,
		Protocols:              &protocols,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerConnection: 2 << 20,
			MaxReceiveBufferPerStream:     1 << 20,
		},
	}
}
