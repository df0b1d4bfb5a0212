package transport

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Error is the error of an HTTP request that returned no response message.
type Error struct {
	Code   tool.Code
	Reason string // follows the name of the server, as in "answered with the status 500"
	Status int    // HTTP status; 0 without a response

	sessionOver bool // the server does not know the session
	unreachable bool // no connection was possible, so other requests would fail as well
	cause       error
}

func (e *Error) Error() string { return e.Reason }

func (e *Error) Unwrap() error { return e.cause }

// endsSession reports whether the client needs a new session after err.
func endsSession(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.sessionOver || e.unreachable) || errors.Is(err, ErrMessageTooLong)
}

// requestError converts the error of a request that got no response, or whose response could
// not be read to its end.
func requestError(err error) error {
	var e *egress.Error
	if !errors.As(err, &e) {
		return &Error{Code: tool.CodeNetwork, Reason: "cannot be called", cause: err}
	}
	failed := &Error{Code: tool.CodeNetwork, Reason: "cannot be called: " + e.Reason, cause: err}
	switch e.Kind {
	case egress.KindAddress:
		failed.Code, failed.unreachable = tool.CodePermissionDenied, true
		failed.Reason += "; to allow a private address, set private = true for this server in the operator's file"
	case egress.KindSecret:
		failed.Code = tool.CodeAuthentication
	case egress.KindTooLarge, egress.KindTooMany:
		failed.Code = tool.CodeResourceExhausted
	case egress.KindTimeout:
		failed.Code = tool.CodeTimeout
	case egress.KindDNS, egress.KindConnect, egress.KindTLS:
		failed.unreachable = true
	}
	if e.Sent {
		failed.Reason += "; it is not known whether the call had an effect"
	}
	return failed
}

// statusError returns the error for the status of a response; nil if the status is a success.
func (s *httpStream) statusError(res *egress.Response) error {
	s.mu.Lock()
	inSession := s.sessionID != ""
	s.mu.Unlock()
	failed := &Error{Code: tool.CodeServer, Status: res.Status}
	advice := ""
	switch status := res.Status; {
	case status < 300:
		return nil
	case status < 400:
		advice = "; redirects are not followed: in the operator's file, write the URL that it redirects to"
	case status == http.StatusUnauthorized:
		failed.Code, advice = tool.CodeAuthentication, "; the operator's secret for it is missing, wrong or expired"
	case status == http.StatusForbidden:
		failed.Code = tool.CodePermissionDenied
	case status == http.StatusNotFound && inSession:
		failed.Code, failed.sessionOver, advice = tool.CodeNetwork, true, "; the session has ended, and the client begins a new session"
	case status == http.StatusNotFound:
		advice = "; check its URL"
	case status == http.StatusTooManyRequests:
		failed.Code = tool.CodeRateLimited
	}
	failed.Reason = fmt.Sprintf("answered with the status %d%s", res.Status, advice)
	return failed
}
