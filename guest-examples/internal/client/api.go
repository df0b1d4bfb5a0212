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

// maxAnswer is how much of the answer of an API is read, in bytes. What the services of
// these tools send has some hundred KiB at most.
const maxAnswer = 4 << 20

// JSON sends a request to a service, whose name is for errors, and decodes its answer
// into the value that answer points to. A status of 400 or more is a *StatusError.
func (c *Client) JSON(ctx context.Context, service string, r *http.Request, answer any) error {
	if r.Header.Get("Accept") == "" {
		r.Header.Set("Accept", "application/json")
	}
	res, err := c.Do(ctx, r, maxAnswer)
	switch {
	case err != nil:
		return fmt.Errorf("%s cannot be asked: %w", service, err)
	case res.Status >= http.StatusBadRequest:
		return newStatusError(service, res)
	case res.Cut:
		return fmt.Errorf("%s sent more than %d bytes; ask for fewer results", service, maxAnswer)
	case res.Status != http.StatusOK:
		return fmt.Errorf("%s answered %s, where 200 OK was expected", service, StatusText(res.Status))
	}
	if err := json.Unmarshal(res.Body, answer); err != nil {
		return fmt.Errorf("%s did not answer in the form of its API (the operator may have set a wrong URL): the answer begins %s", service, Excerpt(res.Body))
	}
	return nil
}

// StatusError is an answer that tells of a failure.
type StatusError struct {
	// Service is who answered, and Status with what.
	Service string
	Status  int
	// Detail is what it said about it, on one line; may be empty.
	Detail string
	// Wait is how long to wait before the next request, and Until when that may be sent;
	// zero where the service did not say. Limited tells that there were too many requests.
	Limited bool
	Wait    time.Duration
	Until   time.Time
}

// Error says what the service answered and what to do next.
func (e *StatusError) Error() string {
	text := e.Service + " answered " + StatusText(e.Status)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	switch {
	case e.Limited:
		text += "; it takes no more requests for now" + e.when()
	case e.Status == http.StatusUnauthorized:
		text += "; the key is missing or not valid, which only the operator can mend"
	case e.Status >= http.StatusInternalServerError:
		text += "; the fault is the service's, try again later"
	}
	return text
}

// when says when the next request may be sent.
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
	// GitHub tells by a remainder of 0 that a refusal is about the number of requests.
	spent := h.Get("X-Ratelimit-Remaining") == "0" || h.Get("Retry-After") != ""
	if e.Limited = res.Status == http.StatusTooManyRequests || res.Status == http.StatusForbidden && spent; e.Limited {
		e.wait(h)
	}
	return e
}

// Seconds beyond which a number is a time since 1970 and not a duration.
const epochSeconds = 1_000_000_000

// maxSeconds bounds what a server can say: the year 2286 for a time.
const maxSeconds = 9_999_999_999

// wait reads when the service takes requests again. Without a clock the server's own tells
// how long that is.
func (e *StatusError) wait(h http.Header) {
	now, dated := time.Time{}, false
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now, dated = date.UTC(), true
	}
	if until, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		e.Until = until.UTC()
	}
	for _, name := range []string{"Retry-After", "X-Ratelimit-Reset"} {
		// Brave has several windows in one header, the shortest first.
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

// maxDetail is how many characters of what a server says are repeated.
const maxDetail = 300

// detailOf finds what an API says about a failure, in the forms that they have for it, or
// else takes the beginning of the answer.
func detailOf(body []byte) string {
	var answer any
	if json.Unmarshal(body, &answer) == nil {
		if text := messageIn(answer, 0); text != "" {
			return plain.Line(text, maxDetail)
		}
	}
	return Excerpt(body)
}

// maxDepth is how deep a message is looked for.
const maxDepth = 4

// messageIn finds the message in an answer: {"message": ...}, {"error": {"detail": ...}},
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

// Excerpt is the beginning of a body as a text on one line.
func Excerpt(body []byte) string {
	if i := bytes.IndexByte(body, 0); i >= 0 {
		return "with data that is no text"
	}
	const most = 8 << 10 // more than the characters that are shown, in any encoding
	return plain.Line(string(body[:min(len(body), most)]), maxDetail)
}

// StatusText is a status with its name: "404 Not Found".
func StatusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}
