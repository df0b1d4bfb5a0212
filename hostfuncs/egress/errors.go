package egress

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
)

// Kind says why a request failed. Act on the kind, never on the text.
type Kind string

// The kinds of failure. Those above KindDNS are this package's refusals, and are the
// same however often one tries.
const (
	// KindURL is a URL that cannot be used, whatever is permitted.
	KindURL Kind = "url"
	// KindHeader is a method or header that may not be sent.
	KindHeader Kind = "header"
	// KindDenied is a hop that Permit did not allow.
	KindDenied Kind = "denied"
	// KindAddress is a host at an address that may not be reached.
	KindAddress Kind = "address"
	// KindRedirect is a redirect that is not followed: one too many, to an unsound URL,
	// from https to http, or one that would carry a body to another origin.
	KindRedirect Kind = "redirect"
	// KindSecret is a secret that could not be put in, or one that a response would
	// have carried out.
	KindSecret Kind = "secret"
	// KindTooLarge is a URL, header or body over its limit.
	KindTooLarge Kind = "too_large"
	// KindTooMany is a request past Limits.Requests or Limits.Open.
	KindTooMany Kind = "too_many"
	// KindDNS is a name that could not be resolved.
	KindDNS Kind = "dns"
	// KindConnect is an address that did not accept a connection.
	KindConnect Kind = "connect"
	// KindTLS is a handshake that failed, an unsound certificate for one.
	KindTLS Kind = "tls"
	// KindProtocol is a server that broke off or does not speak HTTP.
	KindProtocol Kind = "protocol"
	// KindTimeout is a request that took longer than Limits.Time, or than the context
	// allowed: then errors.Is finds context.DeadlineExceeded.
	KindTimeout Kind = "timeout"
	// KindCancelled is a request whose context was cancelled (then errors.Is finds
	// context.Canceled), or whose Client or Response was closed.
	KindCancelled Kind = "cancelled"
)

// Error is the only type of error that Do and the body of a Response return, beside
// io.EOF. It holds no path, query, user information, secret or resolved address.
type Error struct {
	Kind Kind
	// Sent says that the request, or one that led to it by a redirect, may have
	// reached a server. When false, trying again repeats nothing.
	Sent bool
	// Method and Origin are those of the hop that failed; Origin is scheme, host and
	// port where that is not the scheme's own. Empty when it did not come so far.
	Method, Origin string
	// Reason says what is wrong and, where there is one, the way out.
	Reason string

	cause error
}

// Error returns "METHOD ORIGIN: REASON".
func (e *Error) Error() string {
	if e.Origin == "" {
		return "http request: " + e.Reason
	}
	return e.Method + " " + e.Origin + ": " + e.Reason
}

// Unwrap returns the error of the context that ended the request, or nil.
func (e *Error) Unwrap() error { return e.cause }

// refuse returns an error that does not know its hop yet.
func refuse(kind Kind, reason string) *Error { return &Error{Kind: kind, Reason: reason} }

// fail ends the exchange with err and returns what the caller is told.
func (x *exchange) fail(err error) *Error {
	told := x.describe(err)
	x.release()
	x.record.update(func(u *Usage) { u.Failed = told.Kind })
	return told
}

// describe returns what the caller is told about err: its kind and where it happened.
// Nothing of the text of a foreign error is passed on, because net/http and net put
// URLs and addresses there.
func (x *exchange) describe(err error) *Error {
	told := *x.classify(err)
	for _, h := range x.record.snapshot().Hops {
		told.Sent = told.Sent || h.Sent
		told.Method, told.Origin = h.Method, h.Origin
	}
	o := &x.client.opts
	told.Reason, told.Origin = o.scrubText(told.Reason), o.scrubText(told.Origin)
	return &told
}

// classify returns the kind of err. That the time is up or the caller is gone comes
// before what broke because of it.
func (x *exchange) classify(err error) *Error {
	var own *Error
	isOwn := errors.As(err, &own)
	switch {
	case isOwn && own.Kind != KindConnect && own.Kind != KindDNS && own.Kind != KindTLS:
		return own
	case x.ctx.Err() != nil, x.client.base.Err() != nil:
		return x.ended()
	case isOwn:
		return own
	}
	text := err.Error()
	var alert *net.OpError
	var timeout net.Error
	switch {
	case errors.As(err, &alert) && alert.Op == "remote error":
		// An alert of the server, in TLS 1.3 also about what the client did in the
		// handshake.
		return refuse(KindTLS, tlsReason(err))
	case strings.Contains(text, "headers exceeded"), strings.Contains(text, "header list "):
		// net/http has no type for these, over HTTP/1 and HTTP/2. A server that goes
		// on and on over HTTP/2 ends as a protocol error.
		return tooLarge("the header of the response", x.client.opts.Limits.HeaderBytes)
	case errors.As(err, &timeout) && timeout.Timeout():
		return refuse(KindTimeout, "the server did not answer in time")
	default:
		return refuse(KindProtocol, "the server broke off or does not speak HTTP")
	}
}

// ended says what ended the context of the exchange.
func (x *exchange) ended() *Error {
	switch {
	case x.client.base.Err() != nil:
		return errClosed()
	case errors.Is(context.Cause(x.ctx), errRequestTime):
		return refuse(KindTimeout, fmt.Sprintf("the request took longer than %v", x.client.opts.Limits.Time))
	case errors.Is(x.caller.Err(), context.DeadlineExceeded):
		return &Error{Kind: KindTimeout, Reason: "the time of the call is up", cause: context.DeadlineExceeded}
	case x.caller.Err() != nil:
		return &Error{Kind: KindCancelled, Reason: "the call was cancelled", cause: context.Canceled}
	default: // by release
		return errBodyClosed()
	}
}

func errBodyClosed() *Error {
	return refuse(KindCancelled, "the body of the response is closed")
}

// tlsReason says what is wrong with a handshake.
func tlsReason(err error) string {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &authority):
		return "the certificate of the server is signed by an authority that is not trusted here"
	case errors.As(err, &host):
		return "the certificate of the server is for another host"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate of the server has expired or is not valid yet"
	case errors.As(err, &invalid):
		return "the certificate of the server is not valid"
	default:
		return "the TLS handshake with the server failed; TLS 1.2 or later is needed"
	}
}
