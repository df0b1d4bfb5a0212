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
	// maxHeaders is how many header values a request may have.
	maxHeaders = 128
	// maxMethod is the longest method, in bytes.
	maxMethod = 32
)

// Request is what to ask of a server. Do does not change it.
type Request struct {
	// Method is a token; it is sent in upper case. Empty means GET. CONNECT and TRACE
	// are refused.
	Method string
	// URL is absolute, http or https. A fragment is dropped.
	URL string
	// Header holds what to send beside what the Client itself sets. Names are
	// canonicalised. Accept-Encoding is ignored: the body always arrives decoded.
	// Headers that speak about the connection, the host or the framing are refused,
	// and so are those that stand for another method.
	Header http.Header
	// Body is sent with its length. It must not change until Do returns.
	Body []byte
	// KeepRedirect returns a redirect as the response instead of following it.
	KeepRedirect bool
}

// refusedHeaders may not be set: what they say would be wrong, or would let a request
// differ from what was permitted.
var refusedHeaders = []string{
	"Connection", "Content-Length", "Expect", "Host", "Http2-Settings", "Keep-Alive",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"X-Http-Method", "X-Http-Method-Override", "X-Method-Override",
}

// headerRefused says whether a header of this canonical name may not be set.
func headerRefused(name string) bool {
	return slices.Contains(refusedHeaders, name) || strings.HasPrefix(name, "Proxy-")
}

// method returns the method in the form in which it is asked about and sent.
func (r Request) method() (string, *Error) {
	m := r.Method
	if m == "" {
		return http.MethodGet, nil
	}
	if len(m) > maxMethod || !httpguts.ValidHeaderFieldName(m) { // both are tokens
		return "", refuse(KindHeader, fmt.Sprintf("the method must be a token of at most %d bytes, such as GET", maxMethod))
	}
	m = strings.ToUpper(m)
	if m == http.MethodConnect || m == http.MethodTrace {
		return "", refuse(KindHeader, "the method "+m+" may not be used")
	}
	return m, nil
}

// CheckHeader says why a header of that name may not be set in a Request; nil when it may.
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

// headers returns a checked copy of the headers.
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
				return nil, refuse(KindHeader, "the value of the header "+canonical+" holds a control character, such as a line break")
			}
			count++
			size += int64(len(name) + len(value))
			out[canonical] = append(out[canonical], value)
		}
		if count > maxHeaders || size > limit {
			return nil, refuse(KindTooLarge, fmt.Sprintf("the headers of the request are more than %d, or larger than %d bytes", maxHeaders, limit))
		}
	}
	return out, nil
}
