package assemble

import (
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// growing is a JSON value that a stream sends in pieces. The zero value is null.
type growing struct {
	kind jsontree.Kind
	// literal is the source of a scalar. The source of a string lacks the closing quote, because
	// more may follow. Appending sources rather than texts also joins surrogate pairs.
	literal []byte
	names   []string // the names of fields, in the order of their arrival
	fields  map[string]*growing
	items   []*growing
}

// valueBytes is the memory of a value besides its literal.
const valueBytes = 64

// weight returns the approximate memory of g in bytes.
func (g *growing) weight() int {
	sum := valueBytes + len(g.literal)
	for name, c := range g.fields {
		sum += len(name) + c.weight()
	}
	for _, item := range g.items {
		sum += item.weight()
	}
	return sum
}

// child returns the field of an object, which it creates if necessary.
func (g *growing) child(name string) *growing {
	g.kind = jsontree.Object
	c := g.fields[name]
	if c == nil {
		c = &growing{}
		if g.fields == nil {
			g.fields = map[string]*growing{}
		}
		g.fields[name] = c
		g.names = append(g.names, name)
	}
	return c
}

// push appends an empty item to a list.
func (g *growing) push() *growing {
	g.kind = jsontree.Array
	item := &growing{}
	g.items = append(g.items, item)
	return item
}

// set replaces a field of an object. A null or an empty list does not replace a value.
func (g *growing) set(name string, v *jsontree.Value) {
	if c := g.child(name); c.kind == jsontree.Null || !isEmpty(v) {
		c.replace(v)
	}
}

// setAll sets all fields of an object, except those with the given names.
func (g *growing) setAll(fields *jsontree.Value, except ...string) {
	if fields == nil {
		return
	}
	for i := range fields.Members {
		if m := &fields.Members[i]; !slices.Contains(except, m.Name) {
			g.set(m.Name, &m.Value)
		}
	}
}

// replace makes g equal to v. Unlike merge, it never joins the items of a list, which is whole.
func (g *growing) replace(v *jsontree.Value) {
	*g = growing{kind: v.Kind, literal: []byte(v.Literal)}
	if v.Kind == jsontree.String {
		g.literal = g.literal[:len(v.Literal)-1]
	}
	for i := range v.Members {
		g.child(v.Members[i].Name).replace(&v.Members[i].Value)
	}
	for i := range v.Items {
		g.push().replace(&v.Items[i])
	}
}

// growingStrings are the strings that APIs stream in pieces. Servers repeat other strings, such as
// the role.
var growingStrings = []string{
	"content", "text", "refusal", "arguments", "thinking", "reasoning", "reasoning_content",
	"summary", "data", "transcript",
}

// merge adds a piece to the value of a field. Strings and lists are appended, objects are merged,
// and other values are replaced. name is the name of the field.
func (g *growing) merge(name string, v *jsontree.Value) {
	// Mistral streams the content as a list while the model reasons, and then as a string.
	if name == "content" && g.kind == jsontree.String && v.Kind == jsontree.Array {
		text := g.value().Text()
		g.replace(jsontree.NewArray())
		g.merge(name, jsontree.NewString(text))
	}
	if name == "content" && g.kind == jsontree.Array && v.Kind == jsontree.String {
		if v.Text() == "" {
			return
		}
		v = jsontree.NewArray(jsontree.NewObject().AddText("type", "text").Add("text", jsontree.NewString(v.Text())))
	}
	switch {
	case v.Kind == jsontree.Null:
	case v.Kind != g.kind:
		g.replace(v)
	case v.Kind == jsontree.Object:
		for i := range v.Members {
			m := &v.Members[i]
			g.child(m.Name).merge(m.Name, &m.Value)
		}
	case v.Kind == jsontree.Array:
		for i := range v.Items {
			g.add(name, &v.Items[i])
		}
	case v.Kind == jsontree.String:
		closed := len(v.Literal) - 1
		if slices.Contains(growingStrings, name) || string(g.literal) != v.Literal[:closed] {
			g.literal = append(g.literal, v.Literal[1:closed]...)
		}
	default:
		g.replace(v)
	}
}

// add adds a piece to the item of a list that the piece continues, or to a new item.
func (g *growing) add(name string, piece *jsontree.Value) {
	near := 128 // limits the work for one piece
	if piece.Member("id").IsNull() && piece.Member("index").IsNull() {
		near = 1 // only the last item can match
	}
	for i := len(g.items) - 1; i >= max(0, len(g.items)-near); i-- {
		if continues(g.items[i], name, piece, i == len(g.items)-1) {
			g.items[i].merge("", piece)
			return
		}
	}
	g.push().merge("", piece)
}

// continues reports whether a piece belongs to an item of a list. OpenAI identifies items by their
// index. Other servers send no index, or 0 for each, so that only the ID or the name tells the
// items apart.
func continues(item *growing, name string, piece *jsontree.Value, last bool) bool {
	if item.kind != jsontree.Object || piece.Kind != jsontree.Object {
		return false
	}
	id, kind, index := piece.Member("id").Text(), piece.Member("type").Text(), piece.Member("index")
	function := piece.Member("function").Member("name").Text()
	before := item.field("function").field("name").text()
	switch oldID := item.field("id").text(); {
	case name == "parts":
		return isPlainText(item.names) && isPlainText(piece.Names()) && isTrue(piece.Member("thought")) == item.field("thought").is("true")
	case id != "" && oldID != "":
		return id == oldID
	case kind != "" && item.field("type") != nil && kind != item.field("type").text():
		return false
	case !index.IsNull():
		return item.field("index").is(index.Literal) && (function == "" || before == "" || function == before)
	case id != "":
		return false
	case name == "tool_calls":
		return last && function == ""
	}
	return last && (kind == "text" || kind == "thinking")
}

// field returns a field of an object, or nil.
func (g *growing) field(name string) *growing {
	if g == nil {
		return nil
	}
	return g.fields[name]
}

// text returns the content of a string, and "" for any other value.
func (g *growing) text() string {
	if g == nil || g.kind != jsontree.String {
		return ""
	}
	return g.value().Text()
}

// is reports whether g is the scalar with this literal.
func (g *growing) is(literal string) bool { return g != nil && string(g.literal) == literal }

// value returns the value that the pieces make up.
func (g *growing) value() *jsontree.Value {
	v := &jsontree.Value{Kind: g.kind, Literal: string(g.literal)}
	if g.kind == jsontree.String {
		v.Literal += `"`
	}
	for _, name := range g.names {
		v.Add(name, g.fields[name].value())
	}
	for _, item := range g.items {
		v.Items = append(v.Items, *item.value())
	}
	return v
}

// first returns the first of several messages in a response, or nil if the event belongs to another
// one.
func first(list *jsontree.Value) *jsontree.Value {
	all := list.List()
	if len(all) == 0 {
		return nil
	}
	if index := all[0].Member("index"); !index.IsNull() && index.Literal != "0" {
		return nil
	}
	return &all[0]
}

// isEmpty reports whether v is null or a list without items.
func isEmpty(v *jsontree.Value) bool {
	return v.IsNull() || v.Kind == jsontree.Array && len(v.Items) == 0
}

func isTrue(v *jsontree.Value) bool { return v != nil && v.Literal == "true" }
