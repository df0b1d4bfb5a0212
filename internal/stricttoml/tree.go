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

// String returns the kind in the words of an error text.
func (k Kind) String() string {
	return [...]string{
		KindTable: "a table", KindList: "a list", KindString: "a string", KindInteger: "an integer",
		KindFloat: "a decimal number", KindBoolean: "true or false", KindTime: "a date or time",
	}[k]
}

// Node is a value of the file with its place, in the order of the file.
type Node struct {
	Kind Kind
	// Text is a string's content, or the literal text of any other scalar.
	Text string
	// Members are a table's keys, in order, and Items a list's elements.
	Members []*Member
	Items   []*Node
	// byName finds a member.
	byName map[string]*Member
	// origin says what made a table or list.
	origin origin
	// Offset is where the value starts in the text, in bytes.
	Offset int
}

// Member is a key of a table and its value.
type Member struct {
	Name string
	// Offset is where the key starts in the text, in bytes.
	Offset int
	Value  *Node
}

// Get returns the value of a key, or nil. It may be called on any node, nil too.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	if m := n.byName[name]; m != nil {
		return m.Value
	}
	return nil
}

// Elements returns the elements of a list. It may be called on any node, nil too.
func (n *Node) Elements() []*Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// add appends a key that the table does not have yet.
func (n *Node) add(name string, offset int, value *Node) {
	m := &Member{name, offset, value}
	if n.byName == nil {
		n.byName = make(map[string]*Member)
	}
	n.Members = append(n.Members, m)
	n.byName[name] = m
}

// Locate follows keys and list indices down from n, which stands at p, and
// returns the place of the value after the last step that exists.
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
