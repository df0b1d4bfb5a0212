package openapi

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// yamlReader turns the tree of the library into ours.
type yamlReader struct {
	nodes int
	// known are the nodes that anchors name. One that is being read is there as nil, so
	// that it cannot hold itself.
	known map[*yaml.Node]*node
}

// maxYAML bounds the values that the library is let make, at some 200 bytes each: it reads all
// of a document before anything can be counted.
const maxYAML = 1 << 20

// tooManyMarks reports whether a text may have more values than maxYAML. Each value but the
// first comes after one of these marks, and many
// marks, as those in texts, have none.
func tooManyMarks(data []byte) bool {
	marks := 0
	for _, c := range data {
		switch c {
		case ',', '[', '{', '?', '-', ':':
			marks++
		}
	}
	return marks > 2*maxYAML
}

func readYAML(data []byte) (*node, *problem) {
	if tooManyMarks(data) {
		return nil, problemAt(nil, fmt.Sprintf("may have more than %d values, which is too much in YAML; write it as JSON", maxYAML))
	}
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return nil, problemAt(nil, "is neither JSON nor YAML: "+plaintext.Excerpt(strings.Join(strings.Fields(err.Error()), " "), 200))
	}
	if root.Kind != yaml.DocumentNode || len(root.Content) != 1 {
		return nil, problemAt(nil, "is empty")
	}
	r := &yamlReader{known: make(map[*yaml.Node]*node)}
	return r.value(root.Content[0], 0)
}

func (r *yamlReader) value(y *yaml.Node, depth int) (*node, *problem) {
	n := &node{line: y.Line, column: y.Column}
	if r.nodes++; depth > maxDepth || r.nodes > maxNodes {
		return nil, tooMuch(n)
	}
	if y.Kind == yaml.AliasNode {
		known := r.known[y.Alias]
		if known == nil {
			return nil, problemAt(n, "the alias stands inside of what it names")
		}
		return known, nil
	}
	if y.Anchor != "" {
		defer func() { r.known[y] = n }()
	}
	switch y.Kind {
	case yaml.SequenceNode:
		n.kind = kindList
		for _, item := range y.Content {
			value, fault := r.value(item, depth+1)
			if fault != nil {
				return nil, fault
			}
			n.items = append(n.items, value)
		}
		return n, nil
	case yaml.MappingNode:
		return n, r.mapping(n, y, depth)
	}
	return n, scalar(n, y)
}

func (r *yamlReader) mapping(n *node, y *yaml.Node, depth int) *problem {
	n.kind = kindObject
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, at := y.Content[i], &node{line: y.Content[i].Line, column: y.Content[i].Column}
		switch {
		case key.Kind != yaml.ScalarNode:
			return problemAt(at, "a key is no text")
		case key.Tag == "!!merge":
			return problemAt(at, `the merge key "<<" is not read; write the keys themselves`)
		}
		value, fault := r.value(y.Content[i+1], depth+1)
		if fault != nil {
			return fault
		}
		if !n.put(key.Value, value) { // a status such as 200 is a key as it is written
			return twice(at, key.Value)
		}
	}
	return nil
}

// maxInteger is how long an integer may be, in bytes, that is brought from a form of YAML into
// that of JSON, which takes time by the square of it.
const maxInteger = 1 << 10

// scalar reads a value that has none below it.
func scalar(n *node, y *yaml.Node) *problem {
	switch y.ShortTag() {
	case "!!null":
		n.kind = kindNull
	case "!!bool":
		n.kind, n.text = kindBoolean, strings.ToLower(y.Value)
	case "!!int", "!!float":
		literal := strings.ReplaceAll(strings.TrimPrefix(y.Value, "+"), "_", "")
		if len(literal) <= maxInteger {
			if whole, ok := new(big.Int).SetString(literal, 0); ok {
				literal = whole.String()
			}
		}
		if !json.Valid([]byte(literal)) {
			return problemAt(n, fmt.Sprintf("%s is no number of JSON", stricttoml.Quote(y.Value)))
		}
		n.kind, n.text = kindNumber, literal
	default: // texts, and dates, which JSON has as texts
		n.kind, n.text = kindText, y.Value
	}
	return nil
}
