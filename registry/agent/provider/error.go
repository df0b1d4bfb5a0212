package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/registry/llm"
)

// Limits of repeating requests.
const (
	maxRetries = 3
	maxWait    = time.Minute
)

// Limits of the response to a request that the provider refused.
const (
	maxErrorBody  = 64 << 10
	errorBodyTime = 10 * time.Second
)

// Error is the error of a request that got no stream. It contains no key.
type Error struct {
	// Status is the HTTP status; 0 without a response.
	Status int

	text  string
	cause error // nil, or an error of package egress or of the context
	// again is set if it may help to repeat the request. after is the time that the provider asks
	// to wait before; 0 if it does not say.
	again bool
	after time.Duration
}

// Error names the model, the reason and what to check.
func (e *Error) Error() string { return e.text }

// Unwrap returns the cause, for example context.Canceled, or nil.
func (e *Error) Unwrap() error { return e.cause }

func (c *Client) newError(status int, reason string) *Error {
	return &Error{Status: status, text: c.label + " " + reason}
}

// requestError returns the error of a request that got no response.
func (c *Client) requestError(err error) *Error {
	refused := &egress.Error{}
	errors.As(err, &refused) // always true
	e := c.newError(0, "cannot be called: "+refused.Reason)
	if refused.Kind == egress.KindAddress {
		e.text += "; to allow a private address, set Private"
	}
	e.cause = err
	e.again = !refused.Sent && (refused.Kind == egress.KindConnect || refused.Kind == egress.KindDNS)
	return e
}

// statusError returns the error of a response with another status than 200.
func (c *Client) statusError(res *egress.Response) *Error {
	reason := fmt.Sprintf("answered with the status %d", res.Status)
	// Providers repeat parts of a key that they refuse, which cannot be found and removed.
	if res.Status != http.StatusUnauthorized {
		if message := messageOf(res); message != "" {
			reason += " (" + message + ")"
		}
	}
	after, _ := egress.RetryAfter(res.Header, time.Now())
	again := res.Status == http.StatusTooManyRequests || res.Status >= 500
	switch status := res.Status; {
	case status >= 300 && status < 400:
		reason += "; redirects are not followed: write the URL that it redirects to as the base URL"
	case status == http.StatusUnauthorized && c.o.Secret.Name == "":
		reason += "; it needs a key: name a secret"
	case status == http.StatusUnauthorized:
		reason += "; check that the secret " + c.o.Secret.Name + " is a valid key"
	case status == http.StatusForbidden && c.o.Secret.Name != "":
		reason += "; check what the key in the secret " + c.o.Secret.Name + " may do"
	case status == http.StatusNotFound:
		reason += "; check the name of the model, and that the base URL ends with the version of the API, such as /v1"
	case again && after > maxWait:
		reason += fmt.Sprintf("; try again in %v", after.Round(time.Second))
		again = false
	}
	e := c.newError(res.Status, reason)
	e.again, e.after = again, after
	return e
}

// messageOf returns the provider's own message in the body of an error, short and printable. It
// returns "" if there is none.
func messageOf(res *egress.Response) string {
	// The provider may never end the body.
	timer := time.AfterFunc(errorBodyTime, func() { _ = res.Body.Close() })
	defer timer.Stop()
	// an error does not matter, because a part of the message also helps
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	return llm.ErrorMessage(body)
}

// wait waits before the request is repeated. It returns an error if the request must not be
// repeated. retry counts how often it has been repeated.
func (e *Error) wait(ctx context.Context, retry int) error {
	if !e.again || retry == maxRetries || ctx.Err() != nil {
		return e
	}
	wait := cmp.Or(e.after, time.Second<<retry)
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= wait {
		return e // the reason is more useful than the deadline
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		e.text += "; the request was not repeated, because the call was cancelled"
		e.cause = ctx.Err()
		return e
	}
}
