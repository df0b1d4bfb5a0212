package capability

import (
	"strconv"
	"strings"
)

// URLReason says why a URL or a pattern of URLs is refused.
type URLReason string

// The reasons.
const (
	// URLSyntax: it cannot be read as a URL at all.
	URLSyntax URLReason = "syntax"
	// URLScheme: neither http nor https, or no host after the scheme.
	URLScheme URLReason = "scheme"
	// URLUserinfo: a name or password before the host.
	URLUserinfo URLReason = "userinfo"
	// URLHost: no host, or none that DNS and IDNA know.
	URLHost URLReason = "host"
	// URLNumericHost: a number that some resolvers take for an address.
	URLNumericHost URLReason = "numeric host"
	// URLPort: not 1 to 65535.
	URLPort URLReason = "port"
	// URLPath: a path that servers read in more than one way.
	URLPath URLReason = "path"
	// URLQuery: control characters in the query.
	URLQuery URLReason = "query"
	// URLWildcard: a "*" where none may stand. Only patterns have it.
	URLWildcard URLReason = "wildcard"
	// URLExtra: a query or fragment in a pattern, which has neither.
	URLExtra URLReason = "extra"
)

// URLError is why a URL or pattern is refused. Its text names the fix and shows of
// the URL at most host and port: path, query and userinfo may hold secrets.
type URLError struct {
	Reason URLReason
	// Problem says what is wrong and what to write instead.
	Problem string
}

// Error returns the problem.
func (e *URLError) Error() string { return e.Problem }

func refuse(reason URLReason, problem string) *URLError {
	return &URLError{Reason: reason, Problem: problem}
}

// maxShown is the most bytes of somebody's text that an error repeats.
const maxShown = 80

// shown quotes a text for an error, so that it neither floods nor controls a terminal.
func shown(text string) string {
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + "…"
	}
	return strconv.Quote(text)
}
