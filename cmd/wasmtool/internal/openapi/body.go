package openapi

import (
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// jsonType is the content type of a JSON body if the manifest names none.
const jsonType = "application/json"

// body defines the arguments for the body of the request. The fields of a plain object become
// arguments of their own. Any other body becomes one argument.
func (op *operation) body() *problem {
	at := op.node.get("requestBody")
	body, prob := op.read(at, "the body", bodyKeys)
	if prob != nil || body == nil {
		return prob
	}
	required := body.get("required").isTrue()
	refuse := func(reason string) *problem { return op.leaveOut(body, required, reason) }
	if op.method == "GET" || op.method == "HEAD" {
		return refuse("the body of a request with " + op.method)
	}
	mediaType, kind := choose(body.get("content"))
	if kind == "" {
		return refuse(fmt.Sprintf("the body is %s and not JSON", stricttoml.Quote(strings.Join(body.get("content").names(), " or "))))
	}
	media := body.get("content").get(mediaType)
	op.notes = append(op.notes, unread(media, "the media type "+stricttoml.Quote(mediaType), mediaTypeKeys)...)
	schema := media.get("schema")
	shape := op.shape(schema)
	switch {
	case kind == "json" && shape == "string":
		return refuse("the body is a JSON string")
	case kind == "text" && shape != "string" && shape != "":
		return refuse("the body is plain text, but its schema is not of the type string")
	}
	if mediaType != jsonType {
		op.request.Headers["Content-Type"] = mediaType
	}
	if fields, ok := op.fields(schema, required); ok && kind == "json" {
		op.arguments = fields
		for _, f := range fields {
			op.taken.Take(f.name)
		}
		op.request.Body = "json"
		return nil
	}
	if kind == "json" {
		// Without this header, a string would be sent as text/plain.
		op.request.Headers["Content-Type"] = mediaType
	}
	one := argument{name: op.taken.Take("body"), schema: schema, description: body.get("description").content(), required: required}
	op.arguments = []argument{one}
	op.request.Body = "{" + one.name + "}"
	return nil
}

// choose returns the first media type that can be sent, preferring JSON, and its kind: "json",
// "text", or "" if there is none.
func choose(content *node) (mediaType, kind string) {
	for _, want := range []string{"json", "text"} {
		for _, name := range content.names() {
			media, _, err := mime.ParseMediaType(name)
			isJSON := media == jsonType || strings.HasSuffix(media, "+json")
			if err == nil && (want == "json" && isJSON || want == "text" && media == "text/plain") {
				return name, want
			}
		}
	}
	return "", ""
}

// plainObject lists the keywords that a schema may have if its fields are to become arguments.
// Other keywords constrain the object as a whole.
var plainObject = []string{
	"type", "properties", "required", "description", "title", "example", "examples", "xml", "externalDocs", "deprecated", "discriminator", "additionalProperties", "$defs", "default",
}

// fields returns the fields of a body that is a plain object. ok is false for any other body.
func (op *operation) fields(schema *node, bodyRequired bool) ([]argument, bool) {
	n, prob := op.resolve(schema)
	if prob != nil || n.get("type").content() != "object" || len(n.get("properties").names()) == 0 {
		return nil, false
	}
	for _, key := range n.names() {
		if !slices.Contains(plainObject, key) && !strings.HasPrefix(key, "x-") {
			return nil, false
		}
	}
	if extra := n.get("additionalProperties"); extra != nil && (extra.kind != kindBoolean || extra.isTrue()) {
		return nil, false // the object may have any fields
	}
	required := each.Of(n.get("required").elements(), (*node).content)
	if len(required) > 0 && !bodyRequired {
		// a field could be required only when a body is sent; arguments cannot express this
		return nil, false
	}
	var list []argument
	properties := n.get("properties")
	for _, name := range properties.names() {
		property := properties.get(name)
		switch {
		case !plainName(name):
			return nil, false // the argument could not have the same name as the field
		case property.get("readOnly").isTrue():
			continue // a read-only field occurs only in responses
		}
		list = append(list, argument{name: name, schema: property, required: slices.Contains(required, name)})
	}
	return list, len(list) > 0
}
