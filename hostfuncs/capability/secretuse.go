package capability

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
)

// maxSecretText limits the name of a header or parameter, and a prefix, in bytes.
const maxSecretText = 128

var (
	// headerToken is the token of RFC 9110, section 5.6.2.
	headerToken = lazyregexp.New("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	// queryName matches names that need no encoding in a query.
	queryName = lazyregexp.New(`^[A-Za-z0-9._~\[\]-]+$`)
)

// hostHeaders are set by the host's own HTTP client. A secret in one of them would change the
// content of the request or its destination.
var hostHeaders = []string{"host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade", "expect"}

// SecretUse says how the host adds a secret to a request: by exactly one of Header, Query and
// Basic. The guest never has the value.
type SecretUse struct {
	// Name is the operator's name for the secret, such as "GITHUB_TOKEN".
	Name string
	// Header is the name of a header.
	Header string
	// Query is the name of a query parameter.
	Query string
	// Basic sends the secret as "Authorization: Basic"; the value must be "user:password".
	Basic bool
	// Prefix precedes the value of a header, such as "Bearer ". It requires Header.
	Prefix string
}

// Validate returns an error that says what is wrong with s and how to fix it.
func (s SecretUse) Validate() error {
	if err := checkSecretName(s.Name); err != nil {
		return fmt.Errorf("name: %w", err)
	}
	switch {
	case (s.Header != "" || s.Basic) == (s.Query != ""), s.Header != "" && s.Basic:
		return errors.New("write exactly one of header, query and basic")
	case max(len(s.Header), len(s.Query), len(s.Prefix)) > maxSecretText:
		return fmt.Errorf("header, query and prefix must be at most %d bytes long", maxSecretText)
	case s.Query != "" && !queryName.MatchString(s.Query):
		return fmt.Errorf(`query: %s is not a valid parameter name; write letters, digits, ".", "_", "~" and "-"`, shown(s.Query))
	case s.Prefix != "" && s.Header == "":
		return errors.New("prefix: requires header; leave it out")
	case strings.HasPrefix(s.Prefix, " ") || strings.ContainsFunc(s.Prefix, notPrintable):
		return fmt.Errorf("prefix: %s cannot be part of a header; write printable ASCII that does not begin with a space", shown(s.Prefix))
	}
	return s.checkHeader()
}

func (s SecretUse) checkHeader() error {
	lower := strings.ToLower(s.Header)
	switch {
	case s.Header != "" && !headerToken.MatchString(s.Header):
		return fmt.Errorf("header: %s is not a valid header name; write one such as Authorization", shown(s.Header))
	case slices.Contains(hostHeaders, lower) || strings.HasPrefix(lower, "proxy-"):
		return fmt.Errorf("header: %s is set by the host; write one such as Authorization", s.Header)
	}
	return nil
}

func notPrintable(r rune) bool { return r < ' ' || r > '~' }

// place identifies where in a request the secret is sent. Two secrets in one place would conflict.
func (s SecretUse) place() string {
	switch {
	case s.Basic:
		return "header authorization"
	case s.Header != "":
		return "header " + strings.ToLower(s.Header)
	}
	return "query " + s.Query
}

// Describe returns a description such as "GITHUB_TOKEN in the header Authorization".
func (s SecretUse) Describe() string {
	switch {
	case s.Basic:
		return s.Name + " as user and password"
	case s.Header != "":
		return s.Name + " in the header " + s.Header
	}
	return s.Name + " in the query as " + s.Query
}

func (s SecretUse) permission() Permission { return Permission{kind: KindSecret, name: s.Name} }
