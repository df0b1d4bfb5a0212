package egress

import (
	"cmp"
	"context"
	"crypto/x509"
	"math"
	"net"
	"net/netip"
	"net/url"
	"time"
)

// Options defines which requests a [Client] may make, and how. The zero value permits no request.
// Its functions must be safe for concurrent calls, because Do may be called concurrently. They must
// not change their arguments.
type Options struct {
	// Normalise returns the canonical form of a URL, which is passed to Permit and dialled: the
	// host in ASCII and lower case without a final dot, the path without dot segments. It must not
	// change u. The error text is shown to the caller, who may be a guest, so it must contain
	// neither the query nor user information. Nil refuses every URL.
	Normalise func(u *url.URL) (*url.URL, error)
	// Permit decides on one hop: the request itself or a redirect. The method is in upper case. The
	// URL is as returned by Normalise, with its query and without its fragment. Nil permits no hop.
	Permit func(method string, u *url.URL) (Decision, bool)
	// Secrets returns the secrets to add to a permitted hop. It is called for the request and for
	// redirects within the same origin. The error text is shown to the caller, so it may name a
	// secret but must not contain its value. Nil adds none.
	Secrets func(ctx context.Context, d Decision) ([]Injection, error)
	// Scrub returns a new Scrubber. Nil leaves responses unchanged.
	Scrub func() Scrubber
	// Transport says how requests are made.
	Transport
}

// Transport says how requests are made and limits them. It does not decide which URLs and addresses
// are allowed. The zero value uses the defaults.
type Transport struct {
	// Limits bounds the requests of a Client.
	Limits Limits
	// UserAgent is sent if the caller sets none; empty means "wasmtool".
	UserAgent string
	// Roots are the trusted certificate authorities; nil means the system's.
	Roots *x509.CertPool
	// LookupNetIP resolves a name, like [net.Resolver.LookupNetIP]. All addresses that it returns
	// are checked. Nil means the resolver of the operating system.
	LookupNetIP func(ctx context.Context, network, host string) ([]netip.Addr, error)
	// Dial connects to an address that has been checked. The network is "tcp" and the address an IP
	// address with a port. Nil means a net.Dialer that checks the address once more on the socket.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Decision is the result of Permit for one hop.
type Decision struct {
	// Private allows private and loopback addresses.
	Private bool
	// ID identifies the rule for Permit and Secrets. The Client does not interpret it.
	ID int
	// Rule names the rule in Usage. It must not contain a secret.
	Rule string
}

// Scrubber removes secrets from byte streams that are read one at a time. It need not be safe for
// concurrent use.
type Scrubber interface {
	// Scrub takes the next bytes of the stream and returns those that may be passed on. It holds
	// back bytes that could be the beginning of a secret, until later bytes show whether they are.
	// atEnd ends the stream and releases all held bytes; the next call begins a new stream. Bytes
	// without a secret are returned unchanged. The result may be p itself and is valid until the
	// next call.
	Scrub(p []byte, atEnd bool) []byte
}

// Limits bounds a Client. A field of zero or less means its default.
type Limits struct {
	// Requests limits the number of requests, including refused requests and followed redirects.
	// The default is 20.
	Requests int
	// Open limits concurrent requests. A request ends when the body of its response is closed or
	// read to the end. The default is 8.
	Open int
	// Redirects limits the redirects that one request follows. The default, 5, is also the maximum.
	Redirects int
	// RequestBytes limits the body of a request. The default is 10 MiB.
	RequestBytes int64
	// ResponseBytes limits the body of a response after decompression. The default is 32 MiB.
	ResponseBytes int64
	// HeaderBytes limits the headers of a request, and the headers of a response together with its
	// interim responses. The default is 64 KiB. In addition, a request has at most 128 headers and
	// a response at most 256.
	HeaderBytes int64
	// URLBytes limits the length of a URL. The default is 8 KiB.
	URLBytes int
	// Time limits a request with its redirects, until the body is closed or read to the end. The
	// default is one minute.
	Time time.Duration
}

// maxRedirects limits the redirects that one request may follow.
const maxRedirects = 5

// withDefaults returns l with defaults in place of unset fields.
func (l Limits) withDefaults() Limits {
	l.Requests = cmp.Or(max(l.Requests, 0), 20)
	l.Open = cmp.Or(max(l.Open, 0), 8)
	l.Redirects = cmp.Or(max(l.Redirects, 0), maxRedirects)
	l.Redirects = min(l.Redirects, maxRedirects)
	l.RequestBytes = cmp.Or(max(l.RequestBytes, 0), 10<<20)
	l.ResponseBytes = cmp.Or(max(l.ResponseBytes, 0), 32<<20)
	l.HeaderBytes = cmp.Or(max(l.HeaderBytes, 0), 64<<10)
	l.URLBytes = cmp.Or(max(l.URLBytes, 0), 8<<10)
	l.Time = cmp.Or(max(l.Time, 0), time.Minute)
	return l
}

// wireBytes limits the compressed size of a body. Compression at most doubles the size of data,
// except for a stream that is flushed every few bytes. Only a body with gzip members that
// decompress to no data exceeds this limit.
func (l Limits) wireBytes() int64 {
	const slack = 64 << 10
	if l.ResponseBytes > (math.MaxInt64-slack)/2 {
		return math.MaxInt64
	}
	return 2*l.ResponseBytes + slack
}
