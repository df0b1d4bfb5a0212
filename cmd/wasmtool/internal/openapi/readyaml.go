package openapi

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// yamlReader converts the tree of the YAML library to nodes.
type yamlReader struct {
	nodes int // the number of values read so far
	// known maps the library's nodes with anchors to the converted nodes. It has no entry for a
	// node that is still being read, so an alias to such a node is an error.
	known map[*yaml.Node]*node
}

// maxYAML limits the number of values. The library builds the whole tree, at about 200 bytes for
// each value, before the values can be counted.
const maxYAML = 1 << 20

// tooManyMarks reports whether a document may have more than maxYAML values. Each value except the
// first follows one of the characters that are counted here. The limit is doubled, because such
// characters also occur elsewhere, for example in strings.
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
		return nil, problemAt(nil, fmt.Sprintf("may have more than %d values, which is too much for YAML; write the document as JSON", maxYAML))
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
			return nil, problemAt(n, "the alias is inside the value that it refers to")
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
			value, prob := r.value(item, depth+1)
			if prob != nil {
				return nil, prob
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
			return problemAt(at, "a key is not a string; write a string")
		case key.Tag == "!!merge":
			return problemAt(at, `the merge key "<<" is not supported; write the keys themselves`)
		}
		value, prob := r.value(y.Content[i+1], depth+1)
		if prob != nil {
			return prob
		}
		// a key keeps its notation, even if it is a number such as the status 200
		if !n.put(key.Value, value) {
			return twice(at, key.Value)
		}
	}
	return nil
}

// The notations of numbers in the core schema of YAML 1.2.2, section 10.3.2.
var (
	yamlInteger = lazyregexp.New(`^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
	yamlFloat   = lazyregexp.New(`^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$`)
	yamlSpecial = lazyregexp.New(`^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
)

// maxInteger limits the bytes of an integer that is converted from a YAML notation to JSON. The
// time of the conversion grows with the square of the length.
const maxInteger = 1 << 10

// number converts a number from a YAML notation to JSON. ok is false for text that is not a number
// in YAML 1.2. The literal may be invalid in JSON, because JSON has no infinity.
func number(text string) (literal string, ok bool) {
	literal = strings.TrimPrefix(text, "+")
	switch {
	case yamlInteger.MatchString(text):
		base := 0 // chosen by the prefix 0x or 0o
		if strings.Trim(literal, "-0123456789") == "" {
			base = 10 // also with a leading zero
		}
		if len(literal) > maxInteger {
			break
		}
		if whole, fits := new(big.Int).SetString(literal, base); fits {
			literal = whole.String()
		}
	case yamlFloat.MatchString(text):
		whole, rest, _ := strings.Cut(literal, ".")
		if strings.Trim(whole, "-") == "" {
			literal = whole + "0." + rest // .5
		} else if rest == "" || rest[0] == 'e' || rest[0] == 'E' {
			literal = whole + rest // 1. and 1.e3
		}
	default:
		return literal, yamlSpecial.MatchString(text)
	}
	return literal, true
}

// scalar reads a value that is neither a list nor a mapping.
func scalar(n *node, y *yaml.Node) *problem {
	switch y.ShortTag() {
	case "!!null":
		n.kind = kindNull
	case "!!bool":
		n.kind, n.text = kindBoolean, strings.ToLower(y.Value)
	case "!!int", "!!float":
		literal, ok := number(y.Value)
		switch {
		case !ok: // a number only for YAML 1.1, such as 1_000 or 0b11
			n.kind, n.text = kindText, y.Value
		case !json.Valid([]byte(literal)):
			return problemAt(n, fmt.Sprintf("%s is not a valid JSON number", stricttoml.Quote(y.Value)))
		default:
			n.kind, n.text = kindNumber, literal
		}
	default: // strings, and dates, which are strings in JSON
		n.kind, n.text = kindText, y.Value
	}
	return nil
}
