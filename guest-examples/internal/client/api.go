package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
)

// maxAnswer limits the bytes read of an API response. The services of these tools send a few
// hundred KiB at most.
const maxAnswer = 4 << 20

// JSON sends a request to a service and decodes the response into the value that answer points to.
// service is the name of the service in errors. A status of 400 or more causes a *StatusError.
func (c *Client) JSON(ctx context.Context, service string, r *http.Request, answer any) error {
	if r.Header.Get("Accept") == "" {
		r.Header.Set("Accept", "application/json")
	}
	res, err := c.Do(ctx, r, maxAnswer)
	switch {
	case err != nil:
		return fmt.Errorf("the request to %s failed: %w", service, err)
	case res.Status >= http.StatusBadRequest:
		return newStatusError(service, res)
	case res.Cut:
		return fmt.Errorf("%s sent more than %d bytes; ask for fewer results", service, maxAnswer)
	case res.Status != http.StatusOK:
		return fmt.Errorf("%s responded %s; 200 OK was expected", service, StatusText(res.Status))
	}
	if err := json.Unmarshal(res.Body, answer); err != nil {
		return fmt.Errorf("%s did not respond in the format of its API (the operator may have set a wrong URL): the response begins %s", service, Excerpt(res.Body))
	}
	return nil
}

// StatusError is the error of a response with an error status.
type StatusError struct {
	// Service is the name of the service, and Status the HTTP status.
	Service string
	Status  int
	// Detail is the service's explanation, on one line; may be empty.
	Detail string
	// Wait is the time to wait before the next request, and Until is when that time ends; both are
	// zero if the service did not say. Limited reports that there were too many requests.
	Limited bool
	Wait    time.Duration
	Until   time.Time
}

// Error returns what the service responded and what to do next.
func (e *StatusError) Error() string {
	text := e.Service + " responded " + StatusText(e.Status)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	switch {
	case e.Limited:
		text += "; it currently refuses further requests" + e.when()
	case e.Status == http.StatusUnauthorized:
		text += "; the key is missing or invalid; only the operator can fix it"
	case e.Status >= http.StatusInternalServerError:
		text += "; this is an error of the service, try again later"
	}
	return text
}

// when returns a phrase that says when the next request may be sent.
func (e *StatusError) when() string {
	switch {
	case e.Wait > 0 && !e.Until.IsZero():
		return fmt.Sprintf(", try again in %v, at %s", e.Wait, e.Until.Format(time.RFC3339))
	case e.Wait > 0:
		return fmt.Sprintf(", try again in %v", e.Wait)
	case !e.Until.IsZero():
		return ", try again after " + e.Until.Format(time.RFC3339)
	}
	return ", try again later"
}

func newStatusError(service string, res *Response) *StatusError {
	e := &StatusError{Service: service, Status: res.Status, Detail: detailOf(res.Body)}
	h := res.Header
	// GitHub reports an exhausted limit of requests with X-RateLimit-Remaining: 0.
	spent := h.Get("X-Ratelimit-Remaining") == "0" || h.Get("Retry-After") != ""
	if e.Limited = res.Status == http.StatusTooManyRequests || res.Status == http.StatusForbidden && spent; e.Limited {
		e.wait(h)
	}
	return e
}

// epochSeconds distinguishes the two kinds of numbers in these headers: a number below epochSeconds
// is a duration in seconds, any other number is a Unix time.
const epochSeconds = 1_000_000_000

// maxSeconds limits the numbers in a server's headers; as a Unix time it is in the year 2286.
const maxSeconds = 9_999_999_999

// wait sets Wait and Until from the headers. A guest has no clock here, so wait computes a missing
// value from the other value and the Date header.
func (e *StatusError) wait(h http.Header) {
	now, dated := time.Time{}, false
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now, dated = date.UTC(), true
	}
	if until, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		e.Until = until.UTC()
	}
	for _, name := range []string{"Retry-After", "X-Ratelimit-Reset"} {
		// Brave lists several windows in one header, the shortest first.
		first, _, _ := strings.Cut(h.Get(name), ",")
		n, err := strconv.ParseInt(strings.TrimSpace(first), 10, 64)
		switch {
		case err != nil || n <= 0 || n > maxSeconds:
			continue
		case n >= epochSeconds:
			e.Until = time.Unix(n, 0).UTC()
		default:
			e.Wait = time.Duration(n) * time.Second
		}
		break
	}
	switch {
	case dated && e.Until.IsZero() && e.Wait > 0:
		e.Until = now.Add(e.Wait)
	case dated && e.Until.After(now) && e.Wait == 0:
		e.Wait = e.Until.Sub(now)
	}
}

// maxDetail limits the characters of a server's message that an error quotes.
const maxDetail = 300

// detailOf returns the explanation in an API's error response, or the beginning of the response.
func detailOf(body []byte) string {
	var answer any
	if json.Unmarshal(body, &answer) == nil {
		if text := messageIn(answer, 0); text != "" {
			return plain.Line(text, maxDetail)
		}
	}
	return Excerpt(body)
}

// maxDepth limits how deep messageIn searches.
const maxDepth = 4

// messageIn finds the message in a response: {"message": ...}, {"error": {"detail": ...}},
// {"detail": {"error": ...}}, {"errors": [{"message": ...}]}.
func messageIn(v any, depth int) string {
	if depth > maxDepth {
		return ""
	}
	switch v := v.(type) {
	case string:
		return v
	case []any:
		if len(v) > 0 {
			return messageIn(v[0], depth+1)
		}
	case map[string]any:
		var found []string
		for _, name := range []string{"message", "detail", "error", "errors"} {
			if text := messageIn(v[name], depth+1); text != "" {
				found = append(found, text)
			}
		}
		return strings.Join(found, ": ")
	}
	return ""
}

// Excerpt returns the beginning of a body, on one line.
func Excerpt(body []byte) string {
	if i := bytes.IndexByte(body, 0); i >= 0 {
		return "with binary data"
	}
	const maximum = 8 << 10 // enough for all characters that are shown, in any encoding
	return plain.Line(string(body[:min(len(body), maximum)]), maxDetail)
}

// StatusText returns a status with its name: "404 Not Found".
func StatusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}
