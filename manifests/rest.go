package manifests

import (
	"github.com/wasmtool/wasmtool/internal/placeholder"
)

// REST is the HTTP request of a tool. If neither its URL nor its method is an argument, the request
// also determines Manifest.Permissions, so that the request and the permissions cannot differ.
type REST struct {
	// BaseURL is the scheme, host, port and beginning of the path, in normal form and without a
	// slash at its end. It may be empty if URLFrom is set.
	BaseURL string
	// URLFrom is the parameter with the URL of the request, or "". A relative URL follows BaseURL.
	// If URLFrom is set, Path is empty.
	URLFrom string
	// Method is in upper case. MethodFrom is the parameter with the method, or "". If MethodFrom is
	// set, Method is empty.
	Method, MethodFrom string
	// Path follows BaseURL: it is empty or begins with a slash. Every call has a value for each of
	// its placeholders. The value must be encoded as part of one path segment.
	Path placeholder.Template
	// Query and Headers are in the order of the manifest. A field with a placeholder that has no
	// value is left out of the request.
	Query, Headers []Field
	// HeadersFrom is the parameter with an object of further headers, or "".
	HeadersFrom string
	// Body describes the body of the request.
	Body Body
	// Output says how to interpret the response.
	Output RESTOutput
	// Select has the tokens of the JSON pointer to the part of the response that is the result; nil
	// means the whole response. When Select is set, Output is RESTJSON.
	Select []string
}

// Field is a header, or a parameter of the query.
type Field struct {
	Name  string
	Value placeholder.Template
}

// Varies reports whether the URL or the method is an argument, so that Manifest.Permissions lists
// the requests that a call may send.
func (r *REST) Varies() bool { return r.URLFrom != "" || r.MethodFrom != "" }

// Named returns the parameters that the request names outside of the body.
func (r *REST) Named() map[string]bool {
	named := make(map[string]bool)
	for _, name := range []string{r.URLFrom, r.MethodFrom, r.HeadersFrom} {
		if name != "" {
			named[name] = true
		}
	}
	note := func(t placeholder.Template) {
		for _, name := range t.Parameters() {
			named[name] = true
		}
	}
	note(r.Path)
	for _, list := range [][]Field{r.Query, r.Headers} {
		for _, f := range list {
			note(f.Value)
		}
	}
	return named
}

// Body says what a request sends as its body. The zero value means no body.
type Body struct {
	Kind BodyKind
	// Parameters are the parameters to send: one for BodyParameter, one or more for BodyFields, and
	// none for the other kinds.
	Parameters []string
}

// BodyKind selects what a request sends.
type BodyKind uint8

// The kinds of body.
const (
	// BodyNone sends no body.
	BodyNone BodyKind = iota
	// BodyRest is a JSON object of the arguments that nothing else in the request names.
	BodyRest
	// BodyFields is a JSON object of some arguments.
	BodyFields
	// BodyParameter is the value of one parameter: the content of a string, or the JSON of another
	// value. It is empty when the call does not have the parameter.
	BodyParameter
)

// RESTOutput says how to interpret a response. The zero value is RESTByType.
type RESTOutput uint8

// The kinds of response.
const (
	// RESTByType is JSON, text or an image, as the Content-Type of the response says.
	RESTByType RESTOutput = iota
	// RESTText is text, which is not interpreted.
	RESTText
	// RESTJSON is one JSON value, the structured result.
	RESTJSON
)
