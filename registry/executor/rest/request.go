package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/placeholder"
	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// maxText limits the path and the query of a URL and each header, in bytes. The client limits
// the whole request.
const maxText = 64 << 10

// request builds the request of a call.
func (e *Executor) request(in tool.Invocation) (egress.Request, error) {
	spec := e.manifest.REST
	arguments := in.Fields()
	method, target, err := e.target(in.Text)
	if err != nil {
		return egress.Request{}, err
	}
	query, err := urlQuery(spec.Query, arguments, in.Text)
	if err != nil {
		return egress.Request{}, err
	}
	r := egress.Request{Method: method, URL: withQuery(target, query), Header: make(http.Header)}
	var contentType string
	if r.Body, contentType, err = e.body(method, arguments, in.Text); err != nil {
		return r, err
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	r.Header.Set("Accept", "application/json, */*;q=0.8")
	if spec.Output == manifests.RESTJSON {
		r.Header.Set("Accept", "application/json")
	}
	for _, h := range spec.Headers {
		value, err := h.Value.Expand(maxText, in.Text)
		switch {
		case errors.Is(err, placeholder.ErrAbsent):
		case err != nil:
			return r, tooLong("the header " + h.Name)
		default:
			r.Header.Set(h.Name, value)
		}
	}
	return r, e.extraHeaders(r.Header, arguments)
}

// Request implements [tool.Requester].
func (e *Executor) Request(text func(string) (string, bool)) (method, target string, err error) {
	spec := e.manifest.REST
	for _, name := range []string{spec.URLFrom, spec.MethodFrom} {
		if _, ok := text(name); name != "" && !ok {
			return "", "", nil // the arguments are incomplete, so no call sends them
		}
	}
	if !spec.Varies() {
		return "", "", nil
	}
	return e.target(text)
}

// target returns the method and the URL without the query of the manifest.
func (e *Executor) target(text func(string) (string, bool)) (method, target string, err error) {
	spec := e.manifest.REST
	method = spec.Method
	if spec.MethodFrom != "" {
		// The client would send a method in lower case in upper case, and rules about the argument
		// might then not match.
		if method, _ = text(spec.MethodFrom); method == "" || method != strings.ToUpper(method) {
			return "", "", invalid("/"+spec.MethodFrom, fmt.Sprintf("%s is not a method; write it in upper case, such as GET", spec.MethodFrom))
		}
	}
	if spec.URLFrom == "" {
		path, err := urlPath(spec.Path, text)
		return method, spec.BaseURL + path, err
	}
	given, _ := text(spec.URLFrom)
	u, err := url.Parse(given)
	switch {
	case err != nil || given == "":
		return "", "", invalid("/"+spec.URLFrom, spec.URLFrom+" is not a URL")
	case u.Scheme != "":
		return method, given, nil
	case spec.BaseURL == "" || u.Host != "":
		return "", "", invalid("/"+spec.URLFrom, spec.URLFrom+" is not a whole URL; begin it with https://")
	}
	return method, spec.BaseURL + "/" + strings.TrimPrefix(given, "/"), nil
}

// withQuery adds the query of the manifest, which is empty or begins with a question mark, to a URL
// that may have a query and a fragment. The fragment, which is never sent, is removed.
func withQuery(target, query string) string {
	target, _, _ = strings.Cut(target, "#")
	if query != "" && strings.Contains(target, "?") {
		query = "&" + query[1:]
	}
	return target + query
}

// extraHeaders adds the headers from the arguments. They cannot replace headers of the manifest.
func (e *Executor) extraHeaders(header http.Header, arguments map[string]json.RawMessage) error {
	spec := e.manifest.REST
	raw := arguments[spec.HeadersFrom]
	if spec.HeadersFrom == "" || len(raw) == 0 {
		return nil
	}
	at := "/" + spec.HeadersFrom
	var extra map[string]string
	if err := json.Unmarshal(raw, &extra); err != nil {
		return invalid(at, spec.HeadersFrom+" is not an object whose values are strings")
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if slices.ContainsFunc(spec.Headers, func(f manifests.Field) bool { return strings.EqualFold(f.Name, name) }) {
			return invalid(at, fmt.Sprintf("the header %q is set by the tool; leave it out", name))
		}
		if err := egress.CheckHeader(name); err != nil {
			return invalid(at, err.Error())
		}
		header.Set(name, extra[name])
	}
	return nil
}

// urlPath inserts the arguments into the path. An argument cannot leave its segment: a slash is
// refused, and so is a segment that becomes "." or "..".
func urlPath(t placeholder.Template, text func(string) (string, bool)) (string, error) {
	var refusal error
	refuse := func(name, reason string) {
		if refusal == nil {
			refusal = invalid("/"+name, fmt.Sprintf("%s %s, but it is part of the path of a URL", name, reason))
		}
	}
	path, err := t.Expand(maxText, func(name string) (string, bool) {
		value, ok := text(name)
		switch {
		case !ok:
			refuse(name, "is missing or null")
		case value == "":
			refuse(name, "is empty")
		case strings.ContainsAny(value, `/\`):
			refuse(name, "contains a slash or backslash")
		}
		return url.PathEscape(value), true
	})
	if err != nil {
		return "", tooLong("the path of the URL")
	}
	if refusal != nil {
		return "", refusal
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return "", invalid("", fmt.Sprintf("the arguments make a segment of the URL path %q, which would change the path; give different arguments", segment))
		}
	}
	return path, nil
}

// urlQuery returns the query of the URL with its question mark, or "".
func urlQuery(fields []manifests.Field, arguments map[string]json.RawMessage, text func(string) (string, bool)) (string, error) {
	var pairs []string
	room := maxText
	for _, f := range fields {
		values, err := queryValues(f.Value, room, arguments, text)
		if err != nil {
			return "", tooLong("the query of the URL")
		}
		for _, value := range values {
			pair := url.QueryEscape(f.Name) + "=" + url.QueryEscape(value)
			pairs = append(pairs, pair)
			room = max(room-len(pair), 0)
		}
	}
	if len(pairs) == 0 {
		return "", nil
	}
	return "?" + strings.Join(pairs, "&"), nil
}

// queryValues returns the values of one query parameter. If the template is a single placeholder
// for a list, each element is a value. If an argument is absent, there is no value. Otherwise there
// is one value.
func queryValues(t placeholder.Template, room int, arguments map[string]json.RawMessage, text func(string) (string, bool)) ([]string, error) {
	if names := t.Parameters(); len(names) == 1 && t.String() == "{"+names[0]+"}" {
		var list []json.RawMessage
		if raw := arguments[names[0]]; len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &list) == nil {
			values := each.Of(list, plain)
			return values, nil
		}
	}
	value, err := t.Expand(room, text)
	if errors.Is(err, placeholder.ErrAbsent) {
		return nil, nil
	}
	return []string{value}, err
}

// plain returns the content of a string, and the JSON of any other value.
func plain(raw json.RawMessage) string {
	var text string
	if raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// body returns the body and its media type, which are empty if there is no body.
func (e *Executor) body(method string, arguments map[string]json.RawMessage, text func(string) (string, bool)) (body []byte, contentType string, err error) {
	contentType = "application/json"
	switch b := e.manifest.REST.Body; b.Kind {
	case manifests.BodyRest:
		body = object(arguments, func(name string) bool { return !e.named[name] })
	case manifests.BodyFields:
		body = object(arguments, func(name string) bool { return slices.Contains(b.Parameters, name) })
	case manifests.BodyParameter:
		name := b.Parameters[0]
		value, ok := text(name)
		if !ok {
			return nil, "", nil
		}
		body = []byte(value)
		if arguments[name][0] == '"' {
			contentType = "text/plain; charset=utf-8"
		}
	default:
		return nil, "", nil
	}
	if method != http.MethodGet && method != http.MethodHead {
		return body, contentType, nil
	}
	// The manifest has a body because other methods need one.
	if text := string(body); text != "" && text != "{}" {
		return nil, "", invalid("", fmt.Sprintf("a %s request has no body; leave out the arguments for the body", method))
	}
	return nil, "", nil
}

// object encodes some of the arguments as a JSON object. Literals stay as the caller wrote them.
func object(arguments map[string]json.RawMessage, with func(name string) bool) []byte {
	chosen := make(map[string]json.RawMessage)
	for name, value := range arguments {
		if with(name) {
			chosen[name] = value
		}
	}
	body, _ := plainjson.Encode(chosen) // cannot fail, because chosen is valid JSON
	return body
}

// invalid returns the error for an argument that its schema allows but that cannot be part of the
// request.
func invalid(pointer, message string) error {
	return &tool.Error{
		Code: tool.CodeInvalidArgument, Message: message, Recoverable: true,
		Details: tool.Details{Violations: []tool.Violation{{Pointer: pointer, Kind: "constraint", Message: message}}},
	}
}

func tooLong(what string) error {
	message := fmt.Sprintf("the arguments make %s longer than %d bytes; give shorter arguments", what, maxText)
	return &tool.Error{Code: tool.CodeInvalidArgument, Message: message, Recoverable: true}
}
