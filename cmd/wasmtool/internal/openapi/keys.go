package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// The keys that OpenAPI 3.0 and 3.1 define. Any other key may be a typing error or belong to a
// later version, so its meaning would be lost.
var (
	itemKeys      = append([]string{"summary", "description", "servers", "parameters"}, methods...)
	operationKeys = []string{"tags", "summary", "description", "externalDocs", "operationId", "parameters", "requestBody", "responses", "callbacks", "deprecated", "security", "servers"}
	parameterKeys = []string{"name", "in", "description", "required", "deprecated", "allowEmptyValue", "style", "explode", "allowReserved", "schema", "example", "examples", "content"}
	bodyKeys      = []string{"description", "content", "required"}
	mediaTypeKeys = []string{"schema", "example", "examples", "encoding"}
	// nextToReference lists the keys that OpenAPI 3.1 allows next to a reference.
	nextToReference = []string{"$ref", "summary", "description"}
)

// unread returns a problem for each key of n that is neither known nor an extension.
func unread(n *node, what string, known []string) (problems []*problem) {
	for _, key := range n.names() {
		if !slices.Contains(known, key) && !strings.HasPrefix(key, "x-") {
			problems = append(problems, problemAt(n.get(key), fmt.Sprintf("%s has the unknown key %s, which is ignored", what, stricttoml.Quote(key))))
		}
	}
	return problems
}

// follow returns the first node that is not a reference. It also returns a problem for each key of
// that node that is not read.
func (d *document) follow(n *node, what string, known []string) (*node, []*problem, *problem) {
	resolved, prob := d.resolve(n)
	if prob != nil {
		return nil, nil, prob
	}
	problems := unread(resolved, what, known)
	if n.get("$ref") != nil {
		for _, key := range n.names() {
			if !slices.Contains(nextToReference, key) && !strings.HasPrefix(key, "x-") {
				problems = append(problems, problemAt(n.get(key), fmt.Sprintf("the key %s next to a reference is ignored; move it to the target of the reference", stricttoml.Quote(key))))
			}
		}
	}
	return resolved, problems, nil
}

// read is like follow, but does not return the problems of keys: it adds them to the notes of the
// operation.
func (op *operation) read(n *node, what string, known []string) (*node, *problem) {
	resolved, problems, prob := op.follow(n, what, known)
	op.notes = append(op.notes, problems...)
	return resolved, prob
}
