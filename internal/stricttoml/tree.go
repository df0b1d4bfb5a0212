package stricttoml

import "strconv"

// Kind is the TOML type of a Node.
type Kind uint8

// The kinds.
const (
	KindTable Kind = iota
	KindList
	KindString
	KindInteger
	KindFloat
	KindBoolean
	KindTime
)

// String returns the kind as it appears in an error message.
func (k Kind) String() string {
	return [...]string{
		KindTable: "a table", KindList: "a list", KindString: "a string", KindInteger: "an integer",
		KindFloat: "a decimal number", KindBoolean: "true or false", KindTime: "a date or time",
	}[k]
}

// Node is a value of the file with its position.
type Node struct {
	Kind Kind
	// Text is the content of a string, or the literal of any other scalar as it is in the file.
	Text string
	// Members are the keys of a table in the order of the file, and Items the elements of a list.
	Members []*Member
	Items   []*Node
	// byName holds Members by their names.
	byName map[string]*Member
	// origin says what made a table or list.
	origin origin
	// Offset is the position of the value's first byte in the file.
	Offset int
}

// Member is a key of a table and its value.
type Member struct {
	Name string
	// Offset is the position of the key's first byte in the file.
	Offset int
	Value  *Node
}

// Get returns the value of a key, or nil if n has no such key. n may be nil or of any kind.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	if m := n.byName[name]; m != nil {
		return m.Value
	}
	return nil
}

// Elements returns the elements of a list. n may be nil or of any kind.
func (n *Node) Elements() []*Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// add appends a key, which the table must not have yet.
func (n *Node) add(name string, offset int, value *Node) {
	m := &Member{name, offset, value}
	if n.byName == nil {
		n.byName = make(map[string]*Member)
	}
	n.Members = append(n.Members, m)
	n.byName[name] = m
}

// Locate follows keys and list indices down from n, whose place is p. It returns the place of the
// value after the last step that exists.
func (n *Node) Locate(p Place, steps ...string) Place {
	for _, step := range steps {
		if m := n.byName[step]; m != nil {
			n, p = m.Value, p.Member(m.Name, m.Value.Offset)
			continue
		}
		index, err := strconv.Atoi(step)
		if err != nil || index < 0 || index >= len(n.Items) {
			break
		}
		n = n.Items[index]
		p = p.Item(index, n.Offset)
	}
	return p
}
