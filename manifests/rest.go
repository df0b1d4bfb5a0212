package manifests

import (
	"github.com/wasmtool/wasmtool/internal/placeholder"
)

// REST says which HTTP request is the tool. What it reaches is in Permissions, made
// of the URL, the method and the secrets: there is one place that says both.
type REST struct {
	// BaseURL is scheme, host, port and the beginning of the path, in normal form and
	// without a slash at its end.
	BaseURL string
	// Method is in upper case.
	Method string
	// Path follows BaseURL: it is empty or begins with a slash. Its parameters are there
	// in every call, and each is to be encoded as a part of one segment.
	Path placeholder.Template
	// Query and Headers are in the order of the manifest. One is left out of a call when
	// a placeholder has no value there.
	Query, Headers []Field
	// Body is what is sent.
	Body Body
	// Output says how the response is understood.
	Output RESTOutput
	// Select are the tokens of the JSON pointer to the part of the response that is the
	// result; nil means all of it. Then Output is RESTJSON.
	Select []string
}

// Field is a header, or a parameter of the query.
type Field struct {
	Name  string
	Value placeholder.Template
}

// Named returns the parameters that the path, the query and the headers name.
func (r *REST) Named() map[string]bool {
	named := make(map[string]bool)
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

// Body is what a request sends. The zero value is nothing.
type Body struct {
	Kind BodyKind
	// Parameters are those that are sent: one for BodyParameter, one or more for
	// BodyFields, none for the others.
	Parameters []string
}

// BodyKind selects what a request sends.
type BodyKind uint8

// The kinds of body.
const (
	// BodyNone is nothing.
	BodyNone BodyKind = iota
	// BodyRest is a JSON object of the arguments that neither the path nor the query nor
	// the headers name.
	BodyRest
	// BodyFields is a JSON object of some arguments.
	BodyFields
	// BodyParameter is the value of one parameter: the text of a string, the JSON of
	// anything else, nothing when the call does not give it.
	BodyParameter
)

// RESTOutput says how a response is understood. The zero value goes by its type.
type RESTOutput uint8

// The kinds of response.
const (
	// RESTByType is JSON, text or an image, as the response says itself.
	RESTByType RESTOutput = iota
	// RESTText is text, taken as it is.
	RESTText
	// RESTJSON is one JSON value, the structured result.
	RESTJSON
)
