package openapi

import (
	"strconv"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// kind is the JSON type of a node.
type kind uint8

// The kinds. The zero value means that there is no node.
const (
	kindAbsent kind = iota
	kindNull
	kindBoolean
	kindNumber
	kindText
	kindList
	kindObject
)

// node is a value of the document with its place. A nil node stands for an absent value. All
// methods except put may be called on nil.
type node struct {
	kind kind
	text string // the content of a string, or the literal of a number or boolean

	order   []string // the keys of an object, in the order of the document
	members map[string]*node
	items   []*node // the elements of a list

	line, column int // count from 1
}

// value returns the node itself, or a node of kindAbsent for nil.
func (n *node) value() node {
	if n == nil {
		return node{}
	}
	return *n
}

func (n *node) kindIs() kind { return n.value().kind }

// get returns the value of a key of an object, or nil.
func (n *node) get(key string) *node { return n.value().members[key] }

// names returns the keys of an object in the order of the document.
func (n *node) names() []string { return n.value().order }

// elements returns the elements of a list.
func (n *node) elements() []*node { return n.value().items }

// content returns the content of a string, or "" for any other kind.
func (n *node) content() string {
	if n.kindIs() != kindText {
		return ""
	}
	return n.text
}

// isTrue reports whether the node is the boolean true.
func (n *node) isTrue() bool { return n.kindIs() == kindBoolean && n.text == "true" }

// step returns the child that one token of a JSON pointer names, or nil.
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

// put adds a key to an object. It returns false if the object already has the key.
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

// problem is an error at a place of the document. Convert fills in the file, and uses the operation
// as the key.
type problem = stricttoml.Error

func problemAt(n *node, message string) *problem {
	if n == nil {
		return &problem{Message: message}
	}
	return &problem{Line: n.line, Column: n.column, Message: message}
}
