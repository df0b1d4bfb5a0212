// Package openapi makes manifests of the operations of an OpenAPI document, 3.0 or 3.1.
//
// What a manifest cannot say is refused with its place in the document, and never left
// out in silence: an operation that needs it is not made, one that can do without it is
// made with a note. References outside of the document are not followed, and nothing is
// fetched. The document is its author's word and no more: what the tools may reach is for
// the operator to grant.
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

// Bounds, in bytes.
const (
	// MaxDocumentBytes is the largest document.
	MaxDocumentBytes = 32 << 20
	// maxSchemasBytes is how large the schemas of all its tools may be together. A document
	// can name one thing in many places.
	maxSchemasBytes = 128 << 20
)

// Options says how a document is read. The zero value is right for most.
type Options struct {
	// Server takes the place of the servers of the document; empty leaves them. It is
	// needed for a document whose servers have no host.
	Server string
}

// methods are the keys of a path that are operations. A TRACE is never sent.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// Convert reads a document in JSON or YAML, and returns its operations as tools in the
// order of the document. file is its name in errors. refused are the operations of which
// no tool can be made. The error, of type stricttoml.Errors, is one of the whole document.
func Convert(file string, data []byte, o Options) (tools []tooldir.Tool, refused stricttoml.Errors, err error) {
	told := func(fault *problem, about string) *stricttoml.Error {
		fault.File, fault.Key = file, about
		return fault
	}
	root, fault := read(data)
	if fault != nil {
		return nil, nil, stricttoml.Errors{told(fault, "")}
	}
	d := &document{
		root: root, server: o.Server, names: tooldir.NewNames("wasmtool"),
		secretNames: make(map[string]string), secretsTaken: tooldir.NewNames(),
	}
	if fault := d.check(); fault != nil {
		return nil, nil, stricttoml.Errors{told(fault, "")}
	}
	paths := root.get("paths")
	for _, path := range paths.names() {
		item, fault := d.resolve(paths.get(path))
		if fault != nil {
			refused = append(refused, told(fault, ""))
			continue
		}
		for _, method := range item.names() {
			if !slices.Contains(methods, method) {
				continue
			}
			op := &operation{document: d, path: path, method: strings.ToUpper(method), item: item, node: item.get(method)}
			tool, fault := op.convert()
			if fault != nil {
				refused = append(refused, told(fault, op.String()))
				continue
			}
			tool.At = *told(problemAt(op.node, ""), "")
			for _, note := range op.notes {
				tool.Notes = append(tool.Notes, told(note, op.String()))
			}
			tools = append(tools, tool)
		}
	}
	if len(tools)+len(refused) == 0 {
		return nil, nil, stricttoml.Errors{told(problemAt(root, "has no operation; write one below paths"), "")}
	}
	return tools, refused, nil
}

// document is one that is being converted.
type document struct {
	root   *node
	server string
	names  tooldir.Names
	// secretNames are those of schemes, by host and scheme.
	secretNames  map[string]string
	secretsTaken tooldir.Names
	// schemaBytes is the size of the schemas made so far.
	schemaBytes int
}

// check looks whether the document is one of those that are read.
func (d *document) check() *problem {
	if d.root.kind != kindObject {
		return problemAt(d.root, "is no OpenAPI document, which is an object")
	}
	version := d.root.get("openapi")
	switch {
	case version == nil && d.root.get("swagger") != nil:
		return problemAt(d.root.get("swagger"), "Swagger 2.0 is not read; convert the document to OpenAPI 3")
	case version == nil:
		return problemAt(d.root, `is no OpenAPI document; it begins with openapi: "3.1.0" or the like`)
	case !strings.HasPrefix(version.text, "3.0.") && !strings.HasPrefix(version.text, "3.1."):
		return problemAt(version, fmt.Sprintf("OpenAPI %s is not read; 3.0 and 3.1 are", stricttoml.Quote(version.text)))
	case d.root.get("paths").kindIs() != kindObject:
		return problemAt(d.root, "has no paths; there is nothing to make tools of")
	}
	return nil
}

// old reports whether schemas are those of OpenAPI 3.0.
func (d *document) old() bool { return strings.HasPrefix(d.root.get("openapi").text, "3.0.") }

// maxReferences bounds a chain of references to references.
const maxReferences = 16

// resolve follows references until something stands there that is none.
func (d *document) resolve(n *node) (*node, *problem) {
	for range maxReferences {
		ref := n.get("$ref")
		if ref == nil {
			return n, nil
		}
		next, fault := d.target(ref)
		if fault != nil {
			return nil, fault
		}
		n = next
	}
	return nil, problemAt(n, "the references here lead to references without end")
}

// target returns what a reference leads to, which is in the document.
func (d *document) target(ref *node) (*node, *problem) {
	fragment, ok := strings.CutPrefix(ref.text, "#")
	if ref.kind != kindText || !ok {
		return nil, problemAt(ref, fmt.Sprintf("the reference %s leads out of the document; put what it means into the document", stricttoml.Quote(ref.text)))
	}
	n := d.root
	tokens, ok := tokensOf(fragment)
	for _, token := range tokens {
		n = n.step(token)
	}
	if n == nil || !ok || len(tokens) == 0 { // the document itself is nothing to refer to
		return nil, problemAt(ref, fmt.Sprintf("the reference %s leads nowhere", stricttoml.Quote(ref.text)))
	}
	return n, nil
}

// tokensOf reads the fragment of a reference, a JSON pointer.
func tokensOf(fragment string) ([]string, bool) {
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, false
	}
	return jsontree.ParsePointer(pointer)
}
