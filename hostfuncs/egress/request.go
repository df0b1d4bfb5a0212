package egress

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

const (
	// maxHeaders limits the number of header values of a request.
	maxHeaders = 128
	// maxMethod limits the length of a method, in bytes.
	maxMethod = 32
)

// Request is an HTTP request. Do does not change it.
type Request struct {
	// Method is a token, which is sent in upper case. Empty means GET. CONNECT and TRACE are
	// refused.
	Method string
	// URL is an absolute http or https URL. Its fragment is dropped.
	URL string
	// Header holds headers to send in addition to those that the Client sets. Names are
	// canonicalised. Accept-Encoding is ignored, because the body always arrives decoded. Do
	// refuses headers about the connection, the host or the framing, and headers that override the
	// method.
	Header http.Header
	// Body is sent with its length. The caller must not change it until Do returns.
	Body []byte
	// KeepRedirect means that Do returns a redirect as the response instead of following it.
	KeepRedirect bool
}

// refusedHeaders lists headers that the caller must not set: their values would be wrong, or would
// let the request differ from the permitted one.
var refusedHeaders = []string{
	"Connection", "Content-Length", "Expect", "Host", "Http2-Settings", "Keep-Alive",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"X-Http-Method", "X-Http-Method-Override", "X-Method-Override",
}

// headerRefused reports whether the caller must not set a header with this canonical name.
func headerRefused(name string) bool {
	return slices.Contains(refusedHeaders, name) || strings.HasPrefix(name, "Proxy-")
}

// method returns the method in the form that is passed to Permit and sent.
func (r Request) method() (string, *Error) {
	m := r.Method
	if m == "" {
		return http.MethodGet, nil
	}
	// A method is a token, like a header name (RFC 9110).
	if len(m) > maxMethod || !httpguts.ValidHeaderFieldName(m) {
		return "", refuse(KindHeader, fmt.Sprintf("the method must be a token of at most %d bytes, such as GET", maxMethod))
	}
	m = strings.ToUpper(m)
	if m == http.MethodConnect || m == http.MethodTrace {
		return "", refuse(KindHeader, "the method "+m+" may not be used")
	}
	return m, nil
}

// CheckHeader returns nil if a Request may set a header with this name, and otherwise an error with
// the reason.
func CheckHeader(name string) error {
	if refusal := checkHeader(name); refusal != nil {
		return errors.New(refusal.Reason)
	}
	return nil
}

func checkHeader(name string) *Error {
	if !httpguts.ValidHeaderFieldName(name) {
		return refuse(KindHeader, "a header name is malformed: use letters, digits and hyphens")
	}
	if canonical := http.CanonicalHeaderKey(name); headerRefused(canonical) {
		return refuse(KindHeader, "the header "+canonical+" may not be set: leave it out")
	}
	return nil
}

// headers returns a checked copy of the headers with canonical names.
func (r Request) headers(limit int64) (http.Header, *Error) {
	out := make(http.Header, len(r.Header)+4)
	count, size := 0, int64(0)
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if refusal := checkHeader(name); refusal != nil {
			return nil, refusal
		}
		canonical := http.CanonicalHeaderKey(name)
		for _, value := range r.Header[name] {
			if !httpguts.ValidHeaderFieldValue(value) {
				return nil, refuse(KindHeader, "the value of the header "+canonical+" contains a control character, such as a line break")
			}
			count++
			size += int64(len(name) + len(value))
			out[canonical] = append(out[canonical], value)
		}
		if count > maxHeaders || size > limit {
			return nil, refuse(KindTooLarge, fmt.Sprintf("the request has more than %d headers, or its headers are larger than %d bytes", maxHeaders, limit))
		}
	}
	return out, nil
}
