package egress

import (
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Injection is a secret to put into one hop. Exactly one of Header, Query and Basic is
// set. Printing one does not show its value.
type Injection struct {
	// Name is the secret's name, for errors.
	Name string
	// Header names the header whose value it becomes.
	Header string
	// Query names the parameter of the query whose value it becomes.
	Query string
	// Basic makes it the credentials of basic authentication: "user:password".
	Basic bool
	// Value is the whole value, any prefix such as "Bearer " included.
	Value string `json:"-"`
}

// String names the secret, without the value.
func (i Injection) String() string { return "secret " + i.Name }

// GoString is String, so that %#v shows no value either.
func (i Injection) GoString() string { return i.String() }

// inject puts secrets over what header and u hold, and returns the names of the query
// parameters that now hold one.
func inject(secrets []Injection, header http.Header, u *url.URL) ([]string, *Error) {
	var params []string
	for _, s := range secrets {
		name, value := s.Header, s.Value
		if s.Basic {
			name, value = "Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(value))
		}
		if (name == "") == (s.Query == "") || s.Basic && s.Header != "" {
			return nil, refuse(KindSecret, "secret "+s.Name+" must be for either a header, a query parameter or basic authentication")
		}
		if s.Query != "" {
			setQuery(u, s.Query, value)
			params = append(params, s.Query)
			continue
		}
		name = http.CanonicalHeaderKey(name)
		if !httpguts.ValidHeaderFieldName(name) || headerRefused(name) {
			return nil, refuse(KindSecret, "secret "+s.Name+" is for a header that may not be set")
		}
		if !httpguts.ValidHeaderFieldValue(value) {
			return nil, refuse(KindSecret, "secret "+s.Name+" holds a control character, such as a line break, and cannot stand in a header")
		}
		header[name] = []string{value}
	}
	return params, nil
}

// setQuery gives the parameter one value and leaves the others as they are written.
func setQuery(u *url.URL, name, value string) {
	deleteQuery(u, name)
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += url.QueryEscape(name) + "=" + url.QueryEscape(value)
}

// deleteQuery takes the parameter out and leaves the others as they are written.
func deleteQuery(u *url.URL, name string) {
	pairs := slices.DeleteFunc(strings.Split(u.RawQuery, "&"), func(pair string) bool {
		key, _, _ := strings.Cut(pair, "=")
		decoded, err := url.QueryUnescape(key)
		return pair == "" || err == nil && decoded == name
	})
	u.RawQuery = strings.Join(pairs, "&")
}

// carries says whether the query of u holds the value of a secret that was put into
// the query before. The Scrubber finds the others; this holds for short values too.
func carries(u *url.URL, secrets []Injection) bool {
	query, _ := url.ParseQuery(u.RawQuery) // malformed pairs are left out
	values := slices.Concat(slices.Collect(maps.Values(query))...)
	return slices.ContainsFunc(secrets, func(s Injection) bool { return s.Query != "" && slices.Contains(values, s.Value) })
}
