package openapi

import (
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// jsonType is what a body of JSON is sent as where a manifest does not say.
const jsonType = "application/json"

// body finds arguments for the body of the request. The fields of an object become
// arguments of their own; anything else is one argument.
func (op *operation) body() *problem {
	at := op.node.get("requestBody")
	body, fault := op.resolve(at)
	if fault != nil || body == nil {
		return fault
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
	schema := body.get("content").get(mediaType).get("schema")
	shape := op.shape(schema)
	switch {
	case kind == "json" && shape == "string":
		return refuse("the body is a text in JSON")
	case kind == "text" && shape != "string" && shape != "":
		return refuse("the body is text of a schema that is none")
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
		op.request.Headers["Content-Type"] = mediaType // also for a value that is a text
	}
	one := argument{name: op.taken.Take("body"), schema: schema, description: body.get("description").content(), required: required}
	op.arguments = []argument{one}
	op.request.Body = "{" + one.name + "}"
	return nil
}

// choose returns the first type of content that can be sent, and whether that is "json" or
// "text".
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

// plainObject are the keywords of a schema whose fields can be arguments: none says more
// about the object than what each of its fields is.
var plainObject = []string{
	"type", "properties", "required", "description", "title", "example", "examples", "xml", "externalDocs", "deprecated", "discriminator", "additionalProperties", "$defs", "default",
}

// fields are the fields of a body that is a plain object.
func (op *operation) fields(schema *node, bodyRequired bool) ([]argument, bool) {
	n, fault := op.resolve(schema)
	if fault != nil || n.get("type").content() != "object" || len(n.get("properties").names()) == 0 {
		return nil, false
	}
	for _, key := range n.names() {
		if !slices.Contains(plainObject, key) && !strings.HasPrefix(key, "x-") {
			return nil, false
		}
	}
	if extra := n.get("additionalProperties"); extra != nil && (extra.kind != kindBoolean || extra.isTrue()) {
		return nil, false // the fields have no end
	}
	var required []string
	for _, name := range n.get("required").elements() {
		required = append(required, name.content())
	}
	if len(required) > 0 && !bodyRequired {
		return nil, false // without a body no field is needed, with one some are
	}
	var list []argument
	properties := n.get("properties")
	for _, name := range properties.names() {
		property := properties.get(name)
		switch {
		case !plainName(name):
			return nil, false // would be another name in the body
		case property.get("readOnly").isTrue():
			continue // is of responses
		}
		list = append(list, argument{name: name, schema: property, required: slices.Contains(required, name)})
	}
	return list, len(list) > 0
}
