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

// prose are the keywords whose texts are for readers alone. All that a schema says elsewhere,
// in names, enumerations, defaults and patterns, decides which documents are right or is sent
// back by a model, so that it cannot be written otherwise without another meaning.
var prose = []string{"title", "description", "$comment", "examples"}

// TextError is a text in a JSON document that holds a character which is not shown.
type TextError struct {
	// Pointer is the JSON pointer of the text, or of the value that a name belongs to.
	Pointer string
	// Found is the first such character.
	Found plaintext.Finding
	// cleaned says that the text is prose, and was cleaned.
	cleaned bool
}

// String names the place and the character; it is fit to print.
func (f TextError) String() string {
	where := ""
	if f.Pointer != "" {
		where = plaintext.Visible(f.Pointer) + " "
	}
	return where + "holds " + f.Found.String()
}

// CheckTexts judges every text of a JSON document: names of fields and strings, at any depth.
// It returns nil for one that Compile refuses to parse.
func CheckTexts(doc json.RawMessage) *TextError {
	t := judgedTexts(doc, jsontree.Document("the document"))
	if len(t.faults) == 0 {
		return nil
	}
	return &t.faults[0]
}

// CleanTexts writes the characters that are not shown as escapes in the texts of a foreign
// schema that are for readers alone: titles, descriptions, comments and examples. cleaned are
// those. refused is a text that means something and cannot be changed; the schema must not be
// used then. A schema that is not JSON stays as it is.
func CleanTexts(schema json.RawMessage) (
	clean json.RawMessage, cleaned []TextError, refused *TextError,
) {
	t := judgedTexts(schema, schemaBounds())
	if len(t.faults) == 0 {
		return schema, nil, nil
	}
	for _, f := range t.faults {
		if !f.cleaned {
			return nil, nil, &f
		}
	}
	return t.doc.JSON(), t.faults, nil
}

// texts is a walk over the texts of a document.
type texts struct {
	doc    jsontree.Value
	faults []TextError
}

// judgedTexts walks over a document, and cleans the prose of the copy in doc. There are no
// faults in a document that cannot be parsed.
func judgedTexts(doc json.RawMessage, b jsontree.Bounds) (t texts) {
	if suspect(doc) {
		var err error
		if t.doc, err = jsontree.Parse(doc, b); err == nil {
			t.schema(&t.doc, "")
		}
	}
	return t
}

// suspect reports whether a JSON text may hold anything to judge: most hold printable ASCII
// alone, and need not be parsed.
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

// schema walks over a schema, or what stands where one should.
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

// data walks over a value that is not a schema; readable says that its strings are prose.
func (t *texts) data(v *jsontree.Value, at string, readable bool) {
	switch v.Kind {
	case jsontree.String:
		text := v.Text()
		if found, bad := plaintext.First(text, plaintext.Lines); bad {
			t.faults = append(t.faults, TextError{at, found, readable})
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

// name judges the name of a field, which stands on one line.
func (t *texts) name(name, at string) {
	if found, bad := plaintext.First(name, plaintext.Line); bad {
		t.faults = append(t.faults, TextError{at, found, false})
	}
}
