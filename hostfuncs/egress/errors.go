package egress

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
)

// Kind classifies why a request failed. Programs should check the kind and never the message.
type Kind string

// The kinds of failure. The kinds listed before KindDNS are refusals by this package, which refuses
// a retry as well.
const (
	// KindURL means that the URL is invalid, regardless of permissions.
	KindURL Kind = "url"
	// KindHeader means that the method or a header is not allowed.
	KindHeader Kind = "header"
	// KindDenied means that Permit did not allow the hop, which is the request or a redirect.
	KindDenied Kind = "denied"
	// KindAddress means that the address of the host is not allowed.
	KindAddress Kind = "address"
	// KindRedirect means that a redirect was not followed. It exceeded the limit, had an invalid
	// URL, led from https to http, or would have sent a body to another origin.
	KindRedirect Kind = "redirect"
	// KindSecret means that a secret could not be added to the request, or that a response would
	// have leaked a secret.
	KindSecret Kind = "secret"
	// KindTooLarge means that a URL, header or body exceeds its limit.
	KindTooLarge Kind = "too_large"
	// KindTooMany means that the request exceeds Limits.Requests or Limits.Open.
	KindTooMany Kind = "too_many"
	// KindDNS means that a name could not be resolved.
	KindDNS Kind = "dns"
	// KindConnect means that no address accepted a connection.
	KindConnect Kind = "connect"
	// KindTLS means that the TLS handshake failed, for example because of an invalid certificate.
	KindTLS Kind = "tls"
	// KindProtocol means that the server closed the connection early or does not speak HTTP.
	KindProtocol Kind = "protocol"
	// KindTimeout means that the request took longer than Limits.Time or than the deadline of the
	// context. In the latter case errors.Is finds context.DeadlineExceeded.
	KindTimeout Kind = "timeout"
	// KindCancelled means that the context of the request was cancelled (errors.Is then finds
	// context.Canceled), or that its Client or Response was closed.
	KindCancelled Kind = "cancelled"
)

// Error is the type of all errors that Do and the body of a Response return, except io.EOF. It
// contains no path, query, user information, secret or resolved address.
type Error struct {
	Kind Kind
	// Sent reports whether any hop of the request may have reached a server. If Sent is false, a
	// retry cannot repeat an effect.
	Sent bool
	// Method and Origin describe the hop that failed. Origin is the scheme and host, and the port
	// unless it is the default of the scheme. Both are empty if the request failed before its first
	// hop.
	Method, Origin string
	// Reason says what is wrong and, where possible, how to fix it.
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

// refuse returns an error without a hop; describe adds the hop.
func refuse(kind Kind, reason string) *Error { return &Error{Kind: kind, Reason: reason} }

// fail ends the exchange with err and returns the error for the caller.
func (x *exchange) fail(err error) *Error {
	shown := x.describe(err)
	x.release()
	x.record.update(func(u *Usage) { u.Failed = shown.Kind })
	return shown
}

// describe returns err as the caller sees it, with its kind and hop. It drops the messages of
// errors from other packages, because net/http and net include URLs and addresses in their
// messages.
func (x *exchange) describe(err error) *Error {
	shown := *x.classify(err)
	for _, h := range x.record.snapshot().Hops {
		shown.Sent = shown.Sent || h.Sent
		shown.Method, shown.Origin = h.Method, h.Origin
	}
	o := &x.client.opts
	shown.Reason, shown.Origin = o.scrubText(shown.Reason), o.scrubText(shown.Origin)
	return &shown
}

// classify returns err with a kind. It first checks for an expired time limit and a cancelled
// caller, because these cause other errors.
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
		// The server sent an alert. In TLS 1.3, an alert may also concern the client's part of the
		// handshake.
		return refuse(KindTLS, tlsReason(err))
	case strings.Contains(text, "headers exceeded"), strings.Contains(text, "header list "):
		// net/http has no error type for oversized headers, neither for HTTP/1 nor for HTTP/2. For
		// an endless header over HTTP/2, it returns no error about the size, so the caller gets a
		// protocol error.
		return tooLarge("the header of the response", x.client.opts.Limits.HeaderBytes)
	case errors.As(err, &timeout) && timeout.Timeout():
		return refuse(KindTimeout, "the server did not answer in time")
	default:
		return refuse(KindProtocol, "the server closed the connection early or does not speak HTTP")
	}
}

// ended returns an error that says why the context of the exchange ended.
func (x *exchange) ended() *Error {
	switch {
	case x.client.base.Err() != nil:
		return errClosed()
	case errors.Is(context.Cause(x.ctx), errRequestTime):
		return refuse(KindTimeout, fmt.Sprintf("the request took longer than %v", x.client.opts.Limits.Time))
	case errors.Is(x.caller.Err(), context.DeadlineExceeded):
		return &Error{Kind: KindTimeout, Reason: "the call has exceeded its deadline", cause: context.DeadlineExceeded}
	case x.caller.Err() != nil:
		return &Error{Kind: KindCancelled, Reason: "the call was cancelled", cause: context.Canceled}
	default: // the method release has cancelled the context
		return errBodyClosed()
	}
}

func errBodyClosed() *Error {
	return refuse(KindCancelled, "the body of the response is closed")
}

// tlsReason says why a handshake failed.
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
