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

// Injection is a secret to add to one hop. Exactly one of Header, Query and Basic must be set.
// Printing an Injection does not show its value.
type Injection struct {
	// Name is the name of the secret, for errors.
	Name string
	// Header is the name of the header that gets the value.
	Header string
	// Query is the name of the query parameter that gets the value.
	Query string
	// Basic sends Value, which is "user:password", as basic authentication.
	Basic bool
	// Value is the complete value, including any prefix such as "Bearer ".
	Value string `json:"-"`
}

// String returns the name of the secret without its value.
func (i Injection) String() string { return "secret " + i.Name }

// GoString equals String, so %#v does not show the value either.
func (i Injection) GoString() string { return i.String() }

// inject adds secrets to header and u, replacing existing values. It returns the names of the query
// parameters that now contain a secret.
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
			return nil, refuse(KindSecret, "secret "+s.Name+" contains a control character, such as a line break, and cannot be sent in a header")
		}
		header[name] = []string{value}
	}
	return params, nil
}

// setQuery sets the parameter to one value and leaves the other parameters unchanged.
func setQuery(u *url.URL, name, value string) {
	deleteQuery(u, name)
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += url.QueryEscape(name) + "=" + url.QueryEscape(value)
}

// deleteQuery removes the parameter and leaves the other parameters unchanged.
func deleteQuery(u *url.URL, name string) {
	pairs := slices.DeleteFunc(strings.Split(u.RawQuery, "&"), func(pair string) bool {
		key, _, _ := strings.Cut(pair, "=")
		decoded, err := url.QueryUnescape(key)
		return pair == "" || err == nil && decoded == name
	})
	u.RawQuery = strings.Join(pairs, "&")
}

// carries reports whether a query parameter of u equals a secret that was added to the query of an
// earlier hop. The Scrubber finds most secrets but ignores short values, which this check also
// finds.
func carries(u *url.URL, secrets []Injection) bool {
	query, _ := url.ParseQuery(u.RawQuery) // malformed pairs are skipped
	values := slices.Concat(slices.Collect(maps.Values(query))...)
	return slices.ContainsFunc(secrets, func(s Injection) bool { return s.Query != "" && slices.Contains(values, s.Value) })
}
