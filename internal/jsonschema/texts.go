package jsonschema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// prose lists the keywords whose strings are only for readers. Other strings in a schema, such as
// names, enumerations, defaults and patterns, decide which documents are valid, or a model sends
// them back. Escaping such strings would change the meaning of the schema.
var prose = []string{"title", "description", "$comment", "examples"}

// TextError is a string in a JSON document that contains an illegal character, such as an invisible
// one.
type TextError struct {
	// Pointer is the JSON pointer to the string. If the string is a name, it is the pointer to the
	// value with this name.
	Pointer string
	// Found is the first illegal character.
	Found plaintext.Finding
	// cleaned reports whether the string is prose and was cleaned.
	cleaned bool
}

// String names the place and the character. The result is safe to print.
func (f TextError) String() string {
	where := ""
	if f.Pointer != "" {
		where = plaintext.Visible(f.Pointer) + " "
	}
	return where + "contains " + f.Found.String()
}

// CheckTexts checks every string of a JSON document: the names of fields and the values, at any
// depth. It returns nil for a document that cannot be parsed, because Compile refuses such a
// document.
func CheckTexts(doc json.RawMessage) *TextError {
	t := judgedTexts(doc, jsontree.Document("the document"))
	if len(t.errs) == 0 {
		return nil
	}
	return &t.errs[0]
}

// CleanTexts escapes illegal characters in the strings of an untrusted schema that are only for
// readers: titles, descriptions, comments and examples. cleaned lists these strings. If refused is
// not nil, another string has an illegal character and cannot be escaped; then the schema must not
// be used. A schema that is not JSON is returned unchanged.
func CleanTexts(schema json.RawMessage) (
	clean json.RawMessage, cleaned []TextError, refused *TextError,
) {
	t := judgedTexts(schema, schemaBounds())
	if len(t.errs) == 0 {
		return schema, nil, nil
	}
	for _, f := range t.errs {
		if !f.cleaned {
			return nil, nil, &f
		}
	}
	return t.doc.JSON(), t.errs, nil
}

// texts is a walk over the strings of a document.
type texts struct {
	doc  jsontree.Value
	errs []TextError
}

// judgedTexts checks all strings of a document and cleans the prose in the parsed copy, t.doc. If
// the document cannot be parsed, judgedTexts finds no errors.
func judgedTexts(doc json.RawMessage, b jsontree.Bounds) (t texts) {
	if suspect(doc) {
		var err error
		if t.doc, err = jsontree.Parse(doc, b); err == nil {
			t.schema(&t.doc, "")
		}
	}
	return t
}

// suspect reports whether a document may contain illegal characters. Most documents contain only
// printable ASCII and need not be parsed.
func suspect(doc []byte) bool {
	for i, c := range doc {
		switch {
		case c >= 0x7F:
			return true
		case c == '\\' && i+1 < len(doc) && bytes.IndexByte([]byte("bfrntu"), doc[i+1]) >= 0:
			return true
		}
	}
	return false
}

// schema walks over a schema, or over any value where a schema should be.
func (t *texts) schema(v *jsontree.Value, at string) {
	if v.Kind != jsontree.Object {
		t.data(v, at, false)
		return
	}
	for i := range v.Members {
		m := &v.Members[i]
		at := at + "/" + jsontree.EscapeToken(m.Name)
		t.name(m.Name, at)
		holds := keywords[m.Name].shape
		switch {
		case holds == shapeByName && m.Value.Kind == jsontree.Object:
			for j := range m.Value.Members {
				named := &m.Value.Members[j]
				at := at + "/" + jsontree.EscapeToken(named.Name)
				t.name(named.Name, at)
				t.schema(&named.Value, at)
			}
		case (holds == shapeList || holds == shapeEither) && m.Value.Kind == jsontree.Array:
			for j := range m.Value.Items {
				t.schema(&m.Value.Items[j], at+"/"+strconv.Itoa(j))
			}
		case holds == shapeSchema || holds == shapeEither:
			t.schema(&m.Value, at)
		default:
			t.data(&m.Value, at, slices.Contains(prose, m.Name))
		}
	}
}

// data walks over a value that is not a schema. readable reports whether its strings are prose.
func (t *texts) data(v *jsontree.Value, at string, readable bool) {
	switch v.Kind {
	case jsontree.String:
		text := v.Text()
		if found, bad := plaintext.First(text, plaintext.Lines); bad {
			t.errs = append(t.errs, TextError{at, found, readable})
			if readable {
				v.Literal = string(plainjson.String(plaintext.Printable(text)))
			}
		}
	case jsontree.Array:
		for i := range v.Items {
			t.data(&v.Items[i], at+"/"+strconv.Itoa(i), readable)
		}
	case jsontree.Object:
		for i := range v.Members {
			m := &v.Members[i]
			at := at + "/" + jsontree.EscapeToken(m.Name)
			t.name(m.Name, at)
			t.data(&m.Value, at, readable)
		}
	}
}

// name checks the name of a field, which must be on one line.
func (t *texts) name(name, at string) {
	if found, bad := plaintext.First(name, plaintext.Line); bad {
		t.errs = append(t.errs, TextError{at, found, false})
	}
}
