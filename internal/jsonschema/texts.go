package jsonschema

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// prose are the keywords whose texts are for readers alone. All that a schema says elsewhere,
// in names, enumerations, defaults and patterns, decides which documents are right or is sent
// back by a model, so that it cannot be written otherwise without another meaning.
var prose = []string{"title", "description", "$comment", "examples"}

// TextFault is a text in a JSON document that holds a character which is not shown.
type TextFault struct {
	// Pointer is the JSON pointer of the text, or of the value that a name belongs to.
	Pointer string
	// Found is the first such character.
	Found plaintext.Finding
	// cleaned says that the text is prose, and was cleaned.
	cleaned bool
}

// String names the place and the character; it is fit to print.
func (f TextFault) String() string {
	where := ""
	if f.Pointer != "" {
		where = plaintext.Visible(f.Pointer) + " "
	}
	return where + "holds " + f.Found.String()
}

// JudgeTexts judges every text of a JSON document: names of fields and strings, at any depth.
// It returns nil for one that Compile refuses to parse.
func JudgeTexts(doc json.RawMessage) *TextFault {
	t := judgedTexts(doc, documentBounds("the document"))
	if t == nil || len(t.faults) == 0 {
		return nil
	}
	return &t.faults[0]
}

// CleanTexts writes the characters that are not shown as escapes in the texts of a foreign
// schema that are for readers alone: titles, descriptions, comments and examples. cleaned are
// those. refused is a text that means something and cannot be changed; the schema must not be
// used then. A schema that is not JSON stays as it is.
func CleanTexts(schema json.RawMessage) (
	clean json.RawMessage, cleaned []TextFault, refused *TextFault,
) {
	t := judgedTexts(schema, schemaBounds())
	if t == nil || len(t.faults) == 0 {
		return schema, nil, nil
	}
	for _, f := range t.faults {
		if !f.cleaned {
			return nil, nil, &f
		}
	}
	return t.doc.appendJSON(nil, math.MaxInt), t.faults, nil
}

// texts is a walk over the texts of a document.
type texts struct {
	doc    value
	faults []TextFault
}

// judgedTexts walks over a document, and cleans the prose of the copy in doc. It is nil for
// a document that cannot be parsed, or that has nothing to find.
func judgedTexts(doc json.RawMessage, b bounds) *texts {
	if !suspect(doc) {
		return nil
	}
	v, fault := parse(string(doc), b)
	if fault != nil {
		return nil
	}
	t := &texts{doc: v}
	t.schema(&t.doc, "")
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
func (t *texts) schema(v *value, at string) {
	if v.kind != kindObject {
		t.data(v, at, false)
		return
	}
	for i := range v.members {
		m := &v.members[i]
		at := at + "/" + escapeToken(m.name)
		t.name(m.name, at)
		holds := keywords[m.name].shape
		switch {
		case holds == shapeByName && m.value.kind == kindObject:
			for j := range m.value.members {
				named := &m.value.members[j]
				at := at + "/" + escapeToken(named.name)
				t.name(named.name, at)
				t.schema(&named.value, at)
			}
		case (holds == shapeList || holds == shapeEither) && m.value.kind == kindArray:
			for j := range m.value.items {
				t.schema(&m.value.items[j], at+"/"+strconv.Itoa(j))
			}
		case holds == shapeSchema || holds == shapeEither:
			t.schema(&m.value, at)
		default:
			t.data(&m.value, at, slices.Contains(prose, m.name))
		}
	}
}

// data walks over a value that is not a schema; readable says that its strings are prose.
func (t *texts) data(v *value, at string, readable bool) {
	switch v.kind {
	case kindString:
		text := v.text()
		if found, bad := plaintext.First(text, plaintext.Lines); bad {
			t.faults = append(t.faults, TextFault{at, found, readable})
			if readable {
				v.literal = string(plainjson.String(plaintext.Printable(text)))
			}
		}
	case kindArray:
		for i := range v.items {
			t.data(&v.items[i], at+"/"+strconv.Itoa(i), readable)
		}
	case kindObject:
		for i := range v.members {
			m := &v.members[i]
			at := at + "/" + escapeToken(m.name)
			t.name(m.name, at)
			t.data(&m.value, at, readable)
		}
	}
}

// name judges the name of a field, which stands on one line.
func (t *texts) name(name, at string) {
	if found, bad := plaintext.First(name, plaintext.Line); bad {
		t.faults = append(t.faults, TextFault{at, found, false})
	}
}
