package egress

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
