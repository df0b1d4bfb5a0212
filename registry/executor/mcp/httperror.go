package mcp

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// httpError is a request to a server at a URL that brought no answer. What it says follows
// the name of the server.
type httpError struct {
	code        tool.Code
	reason      string
	status      int // of a response; 0 without one
	sessionOver bool
	unreachable bool
	cause       error
}

func (e *httpError) Error() string { return e.reason }

func (e *httpError) Unwrap() error { return e.cause }

// isFinal says whether the session is of no use any more, so that another has to begin.
func isFinal(err error) bool {
	var e *httpError
	return errors.As(err, &e) && (e.sessionOver || e.unreachable) || errors.Is(err, errFlood)
}

// unreached is the failure of a request without a response.
func unreached(err error) error {
	var e *egress.Error
	if !errors.As(err, &e) {
		return &httpError{code: tool.CodeNetwork, reason: "cannot be asked", cause: err}
	}
	h := &httpError{code: tool.CodeNetwork, reason: "cannot be asked: " + e.Reason, cause: err}
	switch e.Kind {
	case egress.KindAddress:
		h.code, h.unreachable = tool.CodePermissionDenied, true
		h.reason += "; private = true in its table of the operator's file allows a private address"
	case egress.KindSecret:
		h.code = tool.CodeAuthentication
	case egress.KindTooLarge, egress.KindTooMany:
		h.code = tool.CodeResourceExhausted
	case egress.KindTimeout:
		h.code = tool.CodeTimeout
	case egress.KindDNS, egress.KindConnect, egress.KindTLS:
		h.unreachable = true
	}
	if e.Sent {
		h.reason += "; whether the call did something is not known"
	}
	return h
}

// refused is the failure that the status of a response tells of, or nil.
func (r *remote) refused(res *egress.Response) error {
	r.mu.Lock()
	inSession := r.session != ""
	r.mu.Unlock()
	h := &httpError{code: tool.CodeServer, status: res.Status}
	advice := ""
	switch s := res.Status; {
	case s < 300:
		return nil
	case s < 400:
		advice = "; it leads elsewhere: write the URL that it leads to"
	case s == http.StatusUnauthorized:
		h.code, advice = tool.CodeAuthentication, "; the operator's secret for it is missing, wrong or expired"
	case s == http.StatusForbidden:
		h.code = tool.CodePermissionDenied
	case s == http.StatusNotFound && inSession:
		h.code, h.sessionOver, advice = tool.CodeNetwork, true, "; the session is over, and another begins"
	case s == http.StatusNotFound:
		advice = "; check its URL"
	case s == http.StatusTooManyRequests:
		h.code = tool.CodeRateLimited
	}
	h.reason = fmt.Sprintf("answered with the status %d%s", res.Status, advice)
	return h
}
