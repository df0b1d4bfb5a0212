package assemble

import (
	"encoding/json"
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

// build is the state that all assemblers share.
type build struct {
	size   int     // the approximate memory of all growing values, in bytes
	pieces []Piece // the pieces of the last event
	// complete is set once the model has stopped, and ended if no event can follow.
	complete, ended bool
}

func (b *build) state() *build { return b }

// text shows a piece of text.
func (b *build) text(text string) {
	if text != "" {
		b.pieces = append(b.pieces, Piece{Text: text})
	}
}

// reasoning shows a piece of the model's reasoning.
func (b *build) reasoning(text string) {
	if text != "" {
		b.pieces = append(b.pieces, Piece{Reasoning: text})
	}
}

// call shows a complete call.
func (b *build) call(c Call) { b.pieces = append(b.pieces, Piece{Call: &c}) }

// valueBytes is the memory of a value besides its literal.
const valueBytes = 64

// child returns the field of an object, which it creates if necessary.
func (b *build) child(g *growing, name string) *growing {
	g.kind = jsontree.Object
	c := g.fields[name]
	if c == nil {
		c = &growing{}
		if g.fields == nil {
			g.fields = map[string]*growing{}
		}
		g.fields[name] = c
		g.names = append(g.names, name)
		b.size += valueBytes + len(name)
	}
	return c
}

// push appends an empty item to a list.
func (b *build) push(g *growing) *growing {
	g.kind = jsontree.Array
	item := &growing{}
	g.items = append(g.items, item)
	b.size += valueBytes
	return item
}

// set replaces a field of an object. A null does not replace a value.
func (b *build) set(g *growing, name string, v *jsontree.Value) {
	c := b.child(g, name)
	if v.Kind != jsontree.Null {
		b.replace(c, v)
	}
}

// replace makes g equal to v. Unlike merge, it never joins the items of a list, which is whole.
func (b *build) replace(g *growing, v *jsontree.Value) {
	b.size -= g.weight()
	*g = growing{kind: v.Kind}
	switch v.Kind {
	case jsontree.Object:
		for i := range v.Members {
			b.replace(b.child(g, v.Members[i].Name), &v.Members[i].Value)
		}
	case jsontree.Array:
		for i := range v.Items {
			b.replace(b.push(g), &v.Items[i])
		}
	case jsontree.String:
		g.literal = []byte(v.Literal[:len(v.Literal)-1])
	default:
		g.literal = []byte(v.Literal)
	}
	b.size += len(g.literal)
}

// weight returns the part of build.size that the content of g has.
func (g *growing) weight() int {
	sum := len(g.literal)
	for name, c := range g.fields {
		sum += valueBytes + len(name) + c.weight()
	}
	for _, item := range g.items {
		sum += valueBytes + item.weight()
	}
	return sum
}

// growingStrings are the strings that APIs stream in pieces. Servers repeat other strings, such as
// the role.
var growingStrings = []string{
	"content", "text", "refusal", "arguments", "thinking", "reasoning", "reasoning_content",
	"summary", "data", "transcript",
}

// merge adds a piece to the value of a field. Strings and lists are appended, objects are merged,
// and other values are replaced. name is the name of the field.
func (b *build) merge(g *growing, name string, v *jsontree.Value) {
	// Mistral streams the content as a list while the model reasons, and then as a string.
	if name == "content" && g.kind == jsontree.String && v.Kind == jsontree.Array {
		text := g.value().Text()
		b.replace(g, jsontree.NewArray())
		b.merge(g, name, jsontree.NewString(text))
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
		b.replace(g, v)
	case v.Kind == jsontree.Object:
		for i := range v.Members {
			m := &v.Members[i]
			b.merge(b.child(g, m.Name), m.Name, &m.Value)
		}
	case v.Kind == jsontree.Array:
		for i := range v.Items {
			b.merge(b.item(g, name, &v.Items[i]), "", &v.Items[i])
		}
	case v.Kind == jsontree.String:
		closed := len(v.Literal) - 1
		if slices.Contains(growingStrings, name) || string(g.literal) != v.Literal[:closed] {
			g.literal = append(g.literal, v.Literal[1:closed]...)
			b.size += closed - 1
		}
	default:
		b.replace(g, v)
	}
}

// item returns the item of a list that a piece continues, or a new item.
func (b *build) item(list *growing, name string, piece *jsontree.Value) *growing {
	near := 128 // limits the work for one piece
	if piece.Member("id").IsNull() && piece.Member("index").IsNull() {
		near = 1 // only the last item can match
	}
	for i := len(list.items) - 1; i >= max(0, len(list.items)-near); i-- {
		if continues(list.items[i], name, piece, i == len(list.items)-1) {
			return list.items[i]
		}
	}
	return b.push(list)
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
	if g == nil {
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

// items returns the items of an array, or nil for any other value.
func items(v *jsontree.Value) []jsontree.Value {
	if v == nil || v.Kind != jsontree.Array {
		return nil
	}
	return v.Items
}

// is reports whether a value is the boolean with this literal, "true" or "false".
func is(v *jsontree.Value, literal string) bool {
	return v != nil && v.Kind == jsontree.Boolean && v.Literal == literal
}

// jsonOf returns a field as JSON, or nil if there is none.
func jsonOf(v *jsontree.Value, name string) json.RawMessage {
	if m := v.Member(name); m != nil {
		return m.JSON()
	}
	return nil
}
