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
	// maxDepth limits the nesting of a document.
	maxDepth = 200
	// maxNodes limits the number of values in a document.
	maxNodes = 4 << 20
)

// read parses a document as JSON if it is valid JSON, and otherwise as YAML.
func read(data []byte) (*node, *problem) {
	switch {
	case len(data) > MaxDocumentBytes:
		return nil, problemAt(nil, fmt.Sprintf("is larger than %s", stricttoml.FormatSize(MaxDocumentBytes)))
	case !utf8.Valid(data):
		return nil, problemAt(nil, "is not UTF-8")
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	// Some escapes and tabs in JSON are not valid in YAML, so JSON has its own reader. A leading
	// brace does not prove that the document is JSON, because a flow mapping in YAML also begins
	// with a brace.
	if text := bytes.TrimLeft(data, " \t\r\n"); bytes.HasPrefix(text, []byte("{")) && json.Valid(data) {
		return readJSON(data)
	}
	return readYAML(data)
}

// jsonReader reads a document that is valid JSON.
type jsonReader struct {
	data    []byte
	decoder *json.Decoder
	// line and column are the position of the byte at offset. offset never decreases.
	line, column int
	offset       int64
	nodes        int // the number of values read so far
}

func readJSON(data []byte) (*node, *problem) {
	r := &jsonReader{data: data, decoder: json.NewDecoder(bytes.NewReader(data)), line: 1, column: 1}
	r.decoder.UseNumber()
	return r.value(0)
}

// place returns a node with the position of the next token.
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
		return nil, problemAt(n, "is not valid JSON")
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
		item, prob := r.value(depth + 1)
		if prob != nil {
			return prob
		}
		n.items = append(n.items, item)
	}
	_, _ = r.decoder.Token() // the closing bracket
	return nil
}

func (r *jsonReader) object(n *node, depth int) *problem {
	n.kind = kindObject
	for r.decoder.More() {
		at := r.place()
		token, _ := r.decoder.Token() // a name, because the data is valid JSON
		key, _ := token.(string)
		value, prob := r.value(depth + 1)
		if prob != nil {
			return prob
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
	return problemAt(at, fmt.Sprintf("the key %s occurs twice; keep one", stricttoml.Quote(key)))
}
