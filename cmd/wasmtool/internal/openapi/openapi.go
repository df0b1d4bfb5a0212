// Package openapi creates manifests from the operations of an OpenAPI document, 3.0 or 3.1.
//
// Every part of an operation that a manifest cannot express is reported with its place in the
// document. If the part is optional, the tool is created without it and with a note; otherwise the
// operation is refused. References out of the document are not followed, and nothing is fetched.
// The document is not trusted: only the operator decides which servers the tools may reach.
package openapi

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Limits, in bytes.
const (
	// MaxDocumentBytes is the maximum size of a document.
	MaxDocumentBytes = 32 << 20
	// maxSchemasBytes limits the total size of the schemas of all tools. A small document can
	// refer to one schema in many places.
	maxSchemasBytes = 128 << 20
)

// Options says how to convert a document. The zero value suits most documents.
type Options struct {
	// Server replaces the servers of the document; "" keeps them. It is required for a document
	// whose servers have no host.
	Server string
}

// methods lists the keys of a path that hold operations. A trace operation is always refused.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// Convert reads a document in JSON or YAML and returns its operations as tools, in the order of the
// document. file is the name of the document in errors. refused holds the errors of the operations
// that cannot become tools. err, of type [stricttoml.Errors], concerns the whole document.
func Convert(file string, data []byte, o Options) (tools []tooldir.Tool, refused stricttoml.Errors, err error) {
	located := func(prob *problem, about string) *stricttoml.Error {
		prob.File, prob.Key = file, about
		return prob
	}
	root, prob := read(data)
	if prob != nil {
		return nil, nil, stricttoml.Errors{located(prob, "")}
	}
	d := &document{
		root: root, server: o.Server, names: tooldir.NewNames("wasmtool"),
		secretNames: make(map[string]string), secretsTaken: tooldir.NewNames(),
	}
	if prob := d.check(); prob != nil {
		return nil, nil, stricttoml.Errors{located(prob, "")}
	}
	paths := root.get("paths")
	for _, path := range paths.names() {
		item, problems, prob := d.follow(paths.get(path), "the path", itemKeys)
		if prob != nil {
			refused = append(refused, located(prob, ""))
			continue
		}
		for _, prob := range problems {
			refused = append(refused, located(prob, path))
		}
		for _, method := range item.names() {
			if !slices.Contains(methods, method) {
				continue
			}
			op := &operation{document: d, path: path, method: strings.ToUpper(method), item: item, node: item.get(method)}
			tool, prob := op.convert()
			if prob != nil {
				refused = append(refused, located(prob, op.String()))
				continue
			}
			tool.At = *located(problemAt(op.node, ""), "")
			for _, note := range op.notes {
				tool.Notes = append(tool.Notes, located(note, op.String()))
			}
			tools = append(tools, tool)
		}
	}
	if len(tools)+len(refused) == 0 {
		return nil, nil, stricttoml.Errors{located(problemAt(root, "has no operations; write one below paths"), "")}
	}
	return tools, refused, nil
}

// document is the document being converted.
type document struct {
	root   *node
	server string
	names  tooldir.Names // the tool names that are already taken
	// secretNames maps "HOST SCHEME" to the name of the secret for that security scheme.
	secretNames  map[string]string
	secretsTaken tooldir.Names
	// schemaBytes is the size of the schemas written so far.
	schemaBytes int
}

// check refuses documents of other formats and versions.
func (d *document) check() *problem {
	if d.root.kind != kindObject {
		return problemAt(d.root, "is not an OpenAPI document: an OpenAPI document is an object")
	}
	version := d.root.get("openapi")
	switch {
	case version == nil && d.root.get("swagger") != nil:
		return problemAt(d.root.get("swagger"), "Swagger 2.0 is not supported; convert the document to OpenAPI 3")
	case version == nil:
		return problemAt(d.root, `is not an OpenAPI document: it needs the key openapi, such as openapi: "3.1.0"`)
	case !strings.HasPrefix(version.text, "3.0.") && !strings.HasPrefix(version.text, "3.1."):
		return problemAt(version, fmt.Sprintf("OpenAPI %s is not supported; the supported versions are 3.0 and 3.1", stricttoml.Quote(version.text)))
	case d.root.get("paths").kindIs() != kindObject:
		return problemAt(d.root, "has no paths, so there are no operations to create tools from")
	}
	return nil
}

// old reports whether the document is OpenAPI 3.0, whose schemas differ from JSON Schema.
func (d *document) old() bool { return strings.HasPrefix(d.root.get("openapi").text, "3.0.") }

// maxReferences limits the length of a chain of references to references.
const maxReferences = 16

// resolve follows references and returns the first node that is not a reference.
func (d *document) resolve(n *node) (*node, *problem) {
	for range maxReferences {
		ref := n.get("$ref")
		if ref == nil {
			return n, nil
		}
		next, prob := d.target(ref)
		if prob != nil {
			return nil, prob
		}
		n = next
	}
	return nil, problemAt(n, "the references here are circular")
}

// target returns the node of the document that a reference leads to.
func (d *document) target(ref *node) (*node, *problem) {
	fragment, ok := strings.CutPrefix(ref.text, "#")
	if ref.kind != kindText || !ok {
		return nil, problemAt(ref, fmt.Sprintf("the reference %s points outside the document; copy its target into the document", stricttoml.Quote(ref.text)))
	}
	n := d.root
	tokens, ok := tokensOf(fragment)
	for _, token := range tokens {
		n = n.step(token)
	}
	if n == nil || !ok || len(tokens) == 0 { // a reference to the whole document is invalid
		return nil, problemAt(ref, fmt.Sprintf("the reference %s has no target", stricttoml.Quote(ref.text)))
	}
	return n, nil
}

// tokensOf splits the fragment of a reference, which is a JSON pointer, into its tokens.
func tokensOf(fragment string) ([]string, bool) {
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, false
	}
	return jsontree.ParsePointer(pointer)
}
