package openapi

import (
	"strconv"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// kind is the JSON type of a node.
type kind uint8

// The kinds. The zero value is that of no node.
const (
	kindAbsent kind = iota
	kindNull
	kindBoolean
	kindNumber
	kindText
	kindList
	kindObject
)

// node is a value of the document with its place. All methods may be called on nil,
// which is what stands where nothing does.
type node struct {
	kind kind
	// text is the content of a text, or the literal of a number or boolean.
	text string
	// order are the keys of an object as they stand, and items the elements of a list.
	order   []string
	members map[string]*node
	items   []*node
	// line and column are from 1.
	line, column int
}

// value is the node, and one of no kind for nil.
func (n *node) value() node {
	if n == nil {
		return node{}
	}
	return *n
}

func (n *node) kindIs() kind { return n.value().kind }

// get returns the value of a key, or nil.
func (n *node) get(key string) *node { return n.value().members[key] }

// names are the keys of an object in order.
func (n *node) names() []string { return n.value().order }

// elements are those of a list.
func (n *node) elements() []*node { return n.value().items }

// content is the content of a text, and empty for anything else.
func (n *node) content() string {
	if n.kindIs() != kindText {
		return ""
	}
	return n.text
}

// isTrue reports the value true.
func (n *node) isTrue() bool { return n.kindIs() == kindBoolean && n.text == "true" }

// step goes one token of a JSON pointer down.
func (n *node) step(token string) *node {
	if n.kindIs() == kindList {
		i, err := strconv.Atoi(token)
		if err != nil || i < 0 || i >= len(n.items) {
			return nil
		}
		return n.items[i]
	}
	return n.get(token)
}

// put adds a key, and returns false when the object has it.
func (n *node) put(key string, value *node) bool {
	if _, twice := n.members[key]; twice {
		return false
	}
	if n.members == nil {
		n.members = make(map[string]*node)
	}
	n.order = append(n.order, key)
	n.members[key] = value
	return true
}

// problem is what is wrong at a place of the document. Convert fills in the file, and the operation
// as the key.
type problem = stricttoml.Error

func problemAt(n *node, message string) *problem {
	if n == nil {
		return &problem{Message: message}
	}
	return &problem{Line: n.line, Column: n.column, Message: message}
}
