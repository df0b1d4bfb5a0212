package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

const (
	// maxDepth bounds how deeply a document nests.
	maxDepth = 200
	// maxNodes bounds the values of a document.
	maxNodes = 4 << 20
)

// read parses a document: JSON when it begins like that, else YAML.
func read(data []byte) (*node, *problem) {
	switch {
	case len(data) > MaxDocumentBytes:
		return nil, problemAt(nil, fmt.Sprintf("is larger than %s", stricttoml.FormatSize(MaxDocumentBytes)))
	case !utf8.Valid(data):
		return nil, problemAt(nil, "is not UTF-8")
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	// JSON is YAML but for some escapes and tabs, so it has a reader of its own. Flow
	// mappings of YAML begin in the same way.
	if text := bytes.TrimLeft(data, " \t\r\n"); bytes.HasPrefix(text, []byte("{")) && json.Valid(data) {
		return readJSON(data)
	}
	return readYAML(data)
}

// jsonReader reads a document that is known to be JSON.
type jsonReader struct {
	data    []byte
	decoder *json.Decoder
	// line and column are those of offset, which only grows.
	line, column int
	offset       int64
	nodes        int
}

func readJSON(data []byte) (*node, *problem) {
	r := &jsonReader{data: data, decoder: json.NewDecoder(bytes.NewReader(data)), line: 1, column: 1}
	r.decoder.UseNumber()
	return r.value(0)
}

// place makes a node for what comes next.
func (r *jsonReader) place() *node {
	next := r.decoder.InputOffset()
	for next < int64(len(r.data)) && bytes.IndexByte([]byte(" \t\r\n,:"), r.data[next]) >= 0 {
		next++
	}
	for ; r.offset < next; r.offset++ {
		switch b := r.data[r.offset]; {
		case b == '\n':
			r.line, r.column = r.line+1, 1
		case utf8.RuneStart(b):
			r.column++
		}
	}
	r.nodes++
	return &node{line: r.line, column: r.column}
}

func (r *jsonReader) value(depth int) (*node, *problem) {
	n := r.place()
	if depth > maxDepth || r.nodes > maxNodes {
		return nil, tooMuch(n)
	}
	token, err := r.decoder.Token()
	if err != nil && err != io.EOF {
		return nil, problemAt(n, "is no JSON")
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '[' {
			return n, r.list(n, depth)
		}
		return n, r.object(n, depth)
	case string:
		n.kind, n.text = kindText, token
	case json.Number:
		n.kind, n.text = kindNumber, token.String()
	case bool:
		n.kind, n.text = kindBoolean, fmt.Sprint(token)
	default:
		n.kind = kindNull
	}
	return n, nil
}

func (r *jsonReader) list(n *node, depth int) *problem {
	n.kind = kindList
	for r.decoder.More() {
		item, fault := r.value(depth + 1)
		if fault != nil {
			return fault
		}
		n.items = append(n.items, item)
	}
	_, _ = r.decoder.Token() // the bracket, since it is JSON
	return nil
}

func (r *jsonReader) object(n *node, depth int) *problem {
	n.kind = kindObject
	for r.decoder.More() {
		at := r.place()
		token, _ := r.decoder.Token() // a name, since it is JSON
		key, _ := token.(string)
		value, fault := r.value(depth + 1)
		if fault != nil {
			return fault
		}
		if !n.put(key, value) {
			return twice(at, key)
		}
	}
	_, _ = r.decoder.Token()
	return nil
}

func tooMuch(n *node) *problem {
	return problemAt(n, fmt.Sprintf("the document nests more than %d levels deep, or has more than %d values", maxDepth, maxNodes))
}

func twice(at *node, key string) *problem {
	return problemAt(at, fmt.Sprintf("the key %s stands twice; keep one", stricttoml.Quote(key)))
}
