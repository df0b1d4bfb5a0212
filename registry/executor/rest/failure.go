package rest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/registry/tool"
)

const (
	// maxExcerpt limits the part of a failed response's body that is reported, in bytes.
	maxExcerpt = 2 << 10
	// maxRetryAfter limits the wait that is reported.
	maxRetryAfter = 24 * time.Hour
)

// kinds has the code for each error of a request that got no complete response.
var kinds = map[egress.Kind]tool.Code{
	// An argument is the cause, because the manifest was already checked.
	egress.KindURL:       tool.CodeInvalidArgument,
	egress.KindHeader:    tool.CodeInvalidArgument,
	egress.KindDenied:    tool.CodePermissionDenied,
	egress.KindAddress:   tool.CodePermissionDenied,
	egress.KindRedirect:  tool.CodePermissionDenied,
	egress.KindSecret:    tool.CodePermissionDenied,
	egress.KindTooLarge:  tool.CodeResourceExhausted,
	egress.KindTooMany:   tool.CodeResourceExhausted,
	egress.KindDNS:       tool.CodeNetwork,
	egress.KindConnect:   tool.CodeNetwork,
	egress.KindTLS:       tool.CodeNetwork,
	egress.KindProtocol:  tool.CodeNetwork,
	egress.KindTimeout:   tool.CodeTimeout,
	egress.KindCancelled: tool.CodeCancelled,
}

// unanswered returns the error of a request that got no response, or an incomplete one.
func unanswered(err error) error {
	var e *egress.Error
	if !errors.As(err, &e) {
		return (&tool.Error{Code: tool.CodeInternal, Message: "the request failed"}).WithCause(err)
	}
	te := &tool.Error{Code: kinds[e.Kind], Message: e.Error()}
	switch {
	case e.Kind == egress.KindSecret && !e.Sent:
		te.Code = tool.CodeAuthentication // the secret has no value
	case e.Kind == egress.KindTooLarge && !e.Sent:
		te.Code = tool.CodeInvalidArgument
	case e.Kind == egress.KindTooLarge:
		te.Details.Limit = "output"
	case e.Kind == egress.KindTooMany:
		te.Details.Limit = "http requests"
	}
	te.Recoverable = te.Code == tool.CodeInvalidArgument || te.Details.Limit == "output"
	return te.WithCause(err)
}

// refused returns the error of a response whose status is not a success.
func refused(res *egress.Response) error {
	code, advice := meaning(res.Status)
	e := &tool.Error{Code: code, Message: fmt.Sprintf("%s answered %s", server(res.URL), statusText(res.Status))}
	e.Recoverable = code == tool.CodeExecution
	e.Details.Status = res.Status
	e.Details.Response = excerpt(res.Body)
	if wait, ok := egress.RetryAfter(res.Header, time.Now()); ok && (code == tool.CodeRateLimited || code == tool.CodeServer) {
		wait = min(wait, maxRetryAfter).Round(time.Second)
		e.Details.RetryAfter = wait
		advice = fmt.Sprintf("retry after %v", wait)
	}
	if advice != "" {
		e.Message += "; " + advice
	}
	return e
}

// meaning returns the code of a status that is not a success, and advice.
func meaning(status int) (code tool.Code, advice string) {
	switch {
	case status == http.StatusUnauthorized:
		return tool.CodeAuthentication, "the operator's secret is missing, wrong or expired"
	case status == http.StatusForbidden:
		return tool.CodePermissionDenied, "the server does not allow the request"
	case status == http.StatusNotFound, status == http.StatusGone:
		return tool.CodeExecution, "nothing was found there; check the arguments"
	case status == http.StatusTooManyRequests:
		return tool.CodeRateLimited, "try again later"
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status >= 500:
		return tool.CodeServer, "try again later"
	case status >= 400:
		return tool.CodeExecution, "the server does not accept the arguments"
	}
	return tool.CodeExecution, "the status is unexpected"
}

// server returns the host of a URL.
func server(text string) string {
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		return u.Host
	}
	return "the server"
}

// excerpt returns the beginning of a body. It is empty if the body is not UTF-8 text, or ends
// before its first character is complete.
func excerpt(body io.Reader) string {
	data, err := io.ReadAll(io.LimitReader(body, maxExcerpt+1))
	cut := err != nil || len(data) > maxExcerpt
	if cut {
		data = wholeRunes(data[:min(len(data), maxExcerpt)])
	}
	text := strings.TrimSpace(string(data))
	switch {
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return ""
	case cut && text != "":
		return text + " …"
	}
	return text
}

// wholeRunes removes an incomplete character from the end.
func wholeRunes(data []byte) []byte {
	for range utf8.UTFMax - 1 {
		if r, size := utf8.DecodeLastRune(data); r != utf8.RuneError || size != 1 {
			break
		}
		data = data[:len(data)-1]
	}
	return data
}
