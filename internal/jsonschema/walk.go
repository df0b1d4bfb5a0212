package jsonschema

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// walker changes a document according to its place: it coerces values, drops undeclared fields and
// adds defaults.
type walker struct {
	// exact disables coercion. It is set for the defaults of a schema.
	exact bool
	// arguments means that the document holds the arguments of a call.
	arguments bool
	// absent returns the value that replaces a field that was not sent, or nil.
	absent func(*field) *filled
	// values is the number of values in the document, including added values, and ceiling is the
	// limit for values. depth is the largest depth of an added value.
	values, ceiling, depth int
	// dropped holds the first dropped fields, and more is the number of the others.
	dropped []drop
	more    int
	// duplicates holds the first fields that were sent under two of their names.
	duplicates []duplicate
	// trail leads from the root to the current value.
	trail []step
	// work limits the work of the walk; it may be nil.
	work *budget
	// limit is set when the document exceeds a limit because of added values.
	limit *Violation
}

// drop is a field that was dropped.
type drop struct {
	path     []string // the path of the object
	name     string
	declared []string // the declared fields of the object
	meant    string   // the declared field that was probably meant, or ""
}

// step leads from an object or an array to a value in it.
type step struct {
	token string
	index int  // the index of an item
	item  bool // whether index is used instead of token
}

// path returns the path from the root to the current value.
func (w *walker) path() []string {
	return each.Of(w.trail, func(s step) string {
		if s.item {
			return fmt.Sprint(s.index)
		}
		return s.token
	})
}

// walk changes v according to the place p. A nil place has no rules.
func (w *walker) walk(v *jsontree.Value, p *place) {
	if p == nil || w.limit != nil {
		return
	}
	if !w.exact {
		w.coerce(v, p)
	}
	switch v.Kind {
	case jsontree.Object:
		w.object(v, &p.object)
	case jsontree.Array:
		w.work.Spend(1 + len(v.Items)/fieldsPerWork)
		for i := range v.Items {
			w.walkTo(step{index: i, item: true}, &v.Items[i], p.array.at(i))
		}
	}
}

// walkTo is walk for a value in the current value.
func (w *walker) walkTo(s step, v *jsontree.Value, p *place) {
	w.trail = append(w.trail, s)
	w.walk(v, p)
	w.trail = w.trail[:len(w.trail)-1]
}

// fieldsPerWork is the number of fields of an object that can be processed in the time of one visit
// of a subschema.
const fieldsPerWork = 64

func (w *walker) object(v *jsontree.Value, rules *objectRules) {
	w.work.Spend(1 + (len(rules.fields)+len(v.Members))/fieldsPerWork)
	if w.arguments && rules.aliases != nil {
		w.rename(v, rules)
	}
	sent := make([]bool, len(rules.fields))
	kept := v.Members[:0]
	for i := range v.Members {
		m := &v.Members[i]
		if f, ok := rules.index[m.Name]; ok {
			sent[f] = true
			w.walkTo(step{token: m.Name}, &m.Value, rules.fields[f].place)
		} else if rules.drops(w.arguments && len(w.trail) == 0) {
			w.drop(rules, m.Name)
			continue
		} else {
			w.walkTo(step{token: m.Name}, &m.Value, rules.rest)
		}
		kept = append(kept, *m)
	}
	clear(v.Members[len(kept):])
	v.Members = kept
	for i := range rules.fields {
		f := &rules.fields[i]
		if sent[i] {
			continue
		}
		if add := w.absent(f); add != nil && w.fits(add) {
			v.Members = append(v.Members, jsontree.Member{Name: f.name, Literal: f.literal, Value: add.value})
		}
	}
}

func (w *walker) drop(rules *objectRules, name string) {
	if len(w.dropped) == maxWarnings {
		w.more++
		return
	}
	declared := each.Of(rules.fields, func(f field) string { return f.name })
	w.dropped = append(w.dropped, drop{path: w.path(), name: name, declared: declared, meant: nearest(name, declared)})
}

// fits counts a value that will be added to the current object. It reports whether the document
// stays within its limits.
func (w *walker) fits(add *filled) bool {
	w.values += add.values
	w.depth = max(w.depth, len(w.trail)+1+add.depth)
	limit := func(format string, allowed int) {
		text := fmt.Sprintf(format, allowed) + " once defaults are added; send less"
		w.limit = &Violation{Pointer: jsontree.FormatPointer(w.path()), Kind: KindLimit, Message: text}
	}
	switch {
	case w.limit != nil:
	case w.values > w.ceiling:
		limit("more than %d values", w.ceiling)
	case w.depth > jsontree.MaxDepth:
		limit("nesting deeper than %d levels", jsontree.MaxDepth)
	}
	return w.limit == nil
}

// coerce converts a value to the only type that its place admits, if the value has another type and
// the conversion can be reversed exactly. See the package comment.
func (w *walker) coerce(v *jsontree.Value, p *place) {
	if p.types&v.Types() != 0 {
		return
	}
	want := p.types &^ jsontype.Null
	switch v.Kind {
	case jsontree.String:
		w.coerceString(v, want)
	case jsontree.Number, jsontree.Boolean:
		if want == jsontype.String {
			*v = jsontree.Value{Kind: jsontree.String, Literal: `"` + v.Literal + `"`}
		}
	}
}

func (w *walker) coerceString(v *jsontree.Value, want jsontype.Set) {
	text := v.Text()
	switch want {
	case jsontype.Boolean:
		if text == "true" || text == "false" {
			*v = jsontree.Value{Kind: jsontree.Boolean, Literal: text}
		}
	case jsontype.Integer, jsontype.Fraction, jsontype.Number:
		if isPlainNumber(text, want != jsontype.Integer) {
			*v = jsontree.Value{Kind: jsontree.Number, Literal: text}
		}
	case jsontype.Object, jsontype.Array:
		w.coerceEncoded(v, text, want)
	}
}

// coerceEncoded converts a string that contains the JSON of an object or an array.
func (w *walker) coerceEncoded(v *jsontree.Value, text string, want jsontype.Set) {
	// The values inside the string count toward the limits of the whole document.
	inner, err := jsontree.Parse(text, jsontree.Bounds{
		Bytes: jsontree.MaxBytes, Depth: jsontree.MaxDepth - len(w.trail), Values: jsontree.MaxValues - w.values,
	})
	if err != nil || inner.Types() != want {
		return
	}
	values, _ := inner.Measure()
	w.values += values - 1
	*v = inner
}

// isPlainNumber reports whether text is a number in its usual notation: digits, with an optional
// minus and, if fractions are allowed, an optional decimal point. Exponents are excluded. Negative
// zero is also excluded, because many parsers do not preserve it.
func isPlainNumber(text string, fraction bool) bool {
	if strings.ContainsAny(text, "eE") || !fraction && strings.Contains(text, ".") {
		return false
	}
	if strings.HasPrefix(text, "-") && strings.Trim(text, "-0.") == "" {
		return false
	}
	v, err := jsontree.Parse(text, jsontree.Bounds{Bytes: jsontree.MaxNumberBytes, Depth: 1, Values: 1})
	return err == nil && v.Kind == jsontree.Number && v.Literal == text
}
