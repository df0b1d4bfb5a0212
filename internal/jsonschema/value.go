package jsonschema

import (
	"encoding/json"
)

// kind is the JSON type of a value.
type kind uint8

const (
	kindNull kind = iota
	kindBoolean
	kindNumber
	kindString
	kindArray
	kindObject
)

// String returns the name that JSON Schema uses.
func (k kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// value is a parsed JSON value that still knows the literals it was made of, so
// that what was checked is byte for byte what is passed on.
type value struct {
	kind kind
	// literal is the source of a scalar, with the quotes of a string.
	literal string
	members []member
	items   []value
}

// member is one field of an object.
type member struct {
	name    string // unescaped
	literal string // as written, with quotes
	value   value
}

// text returns the content of a string value.
func (v *value) text() string {
	return unquote(v.literal)
}

// member returns the field of that name, or nil; a nil value has none.
func (v *value) member(name string) *value {
	if v == nil {
		return nil
	}
	for i := range v.members {
		if v.members[i].name == name {
			return &v.members[i].value
		}
	}
	return nil
}

// at returns the value that the tokens of a JSON pointer lead to, or nil.
func (v *value) at(path []string) *value {
	for _, token := range path {
		switch v.kind {
		case kindObject:
			v = v.member(token)
		case kindArray:
			i, ok := arrayIndex(token, len(v.items))
			if !ok {
				return nil
			}
			v = &v.items[i]
		default:
			return nil
		}
		if v == nil {
			return nil
		}
	}
	return v
}

// arrayIndex reads a pointer token as an index below length.
func arrayIndex(token string, length int) (int, bool) {
	if token == "" || len(token) > 9 || (token[0] == '0' && len(token) > 1) {
		return 0, false
	}
	n := 0
	for _, c := range []byte(token) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, n < length
}

// clone copies the containers, so that the copy can be changed.
func (v *value) clone() value {
	out := *v
	if v.members != nil {
		out.members = make([]member, len(v.members))
		for i, m := range v.members {
			m.value = m.value.clone()
			out.members[i] = m
		}
	}
	if v.items != nil {
		out.items = make([]value, len(v.items))
		for i := range v.items {
			out.items[i] = v.items[i].clone()
		}
	}
	return out
}

// measure returns the number of values and the depth of nesting.
func (v *value) measure() (values, depth int) {
	values = 1
	if v.kind == kindObject || v.kind == kindArray {
		depth = 1
	}
	add := func(child *value) {
		n, d := child.measure()
		values += n
		depth = max(depth, d+1)
	}
	for i := range v.members {
		add(&v.members[i].value)
	}
	for i := range v.items {
		add(&v.items[i])
	}
	return values, depth
}

// appendJSON appends the compact text. Once buf is longer than limit it stops,
// in the middle of the value, so that an excerpt of a large value is cheap.
func (v *value) appendJSON(buf []byte, limit int) []byte {
	switch v.kind {
	case kindObject:
		buf = append(buf, '{')
		for i := range v.members {
			if len(buf) > limit {
				return buf
			}
			if i > 0 {
				buf = append(buf, ',')
			}
			buf = append(buf, upTo(v.members[i].literal, limit)...)
			buf = append(buf, ':')
			buf = v.members[i].value.appendJSON(buf, limit)
		}
		return append(buf, '}')
	case kindArray:
		buf = append(buf, '[')
		for i := range v.items {
			if len(buf) > limit {
				return buf
			}
			if i > 0 {
				buf = append(buf, ',')
			}
			buf = v.items[i].appendJSON(buf, limit)
		}
		return append(buf, ']')
	default:
		return append(buf, upTo(v.literal, limit)...)
	}
}

func upTo(s string, limit int) string {
	return s[:min(len(s), limit)]
}

// tree returns the value in the form that the validator takes. Each value is one of work.
func (v *value) tree(work *budget) any {
	work.spend(1)
	switch v.kind {
	case kindObject:
		out := make(map[string]any, len(v.members))
		for i := range v.members {
			out[v.members[i].name] = v.members[i].value.tree(work)
		}
		return out
	case kindArray:
		out := make([]any, len(v.items))
		for i := range v.items {
			out[i] = v.items[i].tree(work)
		}
		return out
	case kindString:
		return v.text()
	case kindNumber:
		return json.Number(v.literal)
	case kindBoolean:
		return v.literal == "true"
	default:
		return nil
	}
}

// names returns the names of the members in the order of the document.
func (v *value) names() []string {
	if v == nil {
		return nil
	}
	names := make([]string, len(v.members))
	for i := range v.members {
		names[i] = v.members[i].name
	}
	return names
}
