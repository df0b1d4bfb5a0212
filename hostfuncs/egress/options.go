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

// Options is what a Client may do and how. The zero value permits nothing. Its
// functions are called by several goroutines at once where Do is, and must not
// change what they are given.
type Options struct {
	// Normalise returns the one form in which a URL is asked of Permit and dialled:
	// host in ASCII and lower case without a final dot, path without dot segments. It
	// must not change u. The text of an error is shown to the caller, who may be a
	// guest, so it holds neither query nor user information. Nil refuses every URL.
	Normalise func(u *url.URL) (*url.URL, error)
	// Permit decides on one hop, the request itself or a redirect. The method is in
	// upper case, the URL as Normalise returned it, with its query and without
	// fragment. Nil permits nothing.
	Permit func(method string, u *url.URL) (Decision, bool)
	// Secrets returns what to put into a permitted hop. It is called for the request
	// and for redirects within the same origin. The text of an error is shown to the
	// caller, so it names a secret and holds no value. Nil puts nothing in.
	Secrets func(ctx context.Context, d Decision) ([]Injection, error)
	// Scrub returns a Scrubber. Nil leaves responses as they are.
	Scrub func() Scrubber
	// Transport says how requests are made.
	Transport
}

// Transport says how requests are made, and bounds them; what may be reached is not its
// matter. The zero value has the defaults.
type Transport struct {
	// Limits bounds what a Client does.
	Limits Limits
	// UserAgent is sent where the caller sets none. Empty means "wasmtool".
	UserAgent string
	// Roots are the certificate authorities to trust. Nil means the host's.
	Roots *x509.CertPool
	// LookupNetIP resolves a name, like net.Resolver.LookupNetIP. Nil means the host's
	// resolver. All it returns is checked.
	LookupNetIP func(ctx context.Context, network, host string) ([]netip.Addr, error)
	// Dial connects to an address that has been checked: network is "tcp", the address
	// an IP with a port. Nil means a dialer of the host that checks once more on the
	// socket.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Decision is what Permit grants for one hop.
type Decision struct {
	// Private lets the host be at a private or loopback address.
	Private bool
	// ID is for Permit and Secrets to know the rule by. The Client only carries it.
	ID int
	// Rule names the rule in Usage. It must hold no secret.
	Rule string
}

// Scrubber hides secrets in one stream of bytes after another. One goroutine uses it.
type Scrubber interface {
	// Scrub takes the next bytes of the stream and returns those that may be passed
	// on: bytes that could be the beginning of a secret are held back until it is
	// clear that they are not, or until atEnd, which ends the stream: the next call begins
	// another. What holds no secret is returned unchanged. The result may be p itself and
	// is valid until the next call.
	Scrub(p []byte, atEnd bool) []byte
}

// Limits bounds a Client. Each field that is zero or less means its default.
type Limits struct {
	// Requests is how many requests may be made, each redirect that is followed
	// counting as one. Refused requests count too. By default 20.
	Requests int
	// Open is how many requests may be under way at once; a response counts until its
	// body is closed or read to the end. By default 8.
	Open int
	// Redirects is how many redirects one request may follow, at most and by default 5.
	Redirects int
	// RequestBytes is the largest body that may be sent. By default 10 MiB.
	RequestBytes int64
	// ResponseBytes is how much of a body may be read, after decompression. By default
	// 32 MiB.
	ResponseBytes int64
	// HeaderBytes is the size of the headers of a request, and that of a response
	// together with the interim responses before it. By default 64 KiB. A request has at
	// most 128 headers, and a response 256.
	HeaderBytes int64
	// URLBytes is the longest URL. By default 8 KiB.
	URLBytes int
	// Time is how long a request may take, with its redirects and until its body has
	// been closed or read to the end. By default one minute.
	Time time.Duration
}

// maxRedirects is more than any sound chain needs.
const maxRedirects = 5

// withDefaults returns l with the defaults in place.
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

// wireBytes is how much of a compressed body may be received. Compressing makes
// nothing twice as long but a stream flushed at every few bytes; past that a server
// is sending members that decompress to nothing.
func (l Limits) wireBytes() int64 {
	const slack = 64 << 10
	if l.ResponseBytes > (math.MaxInt64-slack)/2 {
		return math.MaxInt64
	}
	return 2*l.ResponseBytes + slack
}
