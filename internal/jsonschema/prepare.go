package jsonschema

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// Arguments are the prepared arguments of one call. The zero value has none.
type Arguments struct {
	// JSON is exactly what the guest gets: one object, without insignificant
	// space, its literals as they were sent.
	JSON json.RawMessage
	// Warnings name the fields that were dropped because the schema does not
	// declare them, with a suggestion each; at most 21 entries. They are set
	// also when the arguments have faults.
	Warnings []string

	root jsontree.Value
}

// Key returns a text that the arguments of two calls share if and only if JSON Schema takes them
// for equal. It is for comparing, not for reading.
func (a Arguments) Key() []byte { return a.root.Key() }

// Text returns a top-level argument as text: the content of a string, the
// literal of a number, true or false, the JSON text of an array or an object.
// It returns false if the argument is absent or null.
func (a Arguments) Text(name string) (string, bool) {
	v := a.root.Member(name)
	switch {
	case v == nil || v.Kind == jsontree.Null:
		return "", false
	case v.Kind == jsontree.String:
		return v.Text(), true
	}
	return string(v.JSON()), true
}

// Fields returns the top-level arguments as JSON, their literals as they were sent. It makes a
// new map each time.
func (a Arguments) Fields() map[string]json.RawMessage {
	fields := make(map[string]json.RawMessage, len(a.root.Members))
	for i := range a.root.Members {
		fields[a.root.Members[i].Name] = a.root.Members[i].Value.JSON()
	}
	return fields
}

// Tree returns the arguments as package json decodes them with UseNumber. It makes a new tree
// each time.
func (a Arguments) Tree() any { return a.root.Tree(nil) }

// Prepare turns the arguments of a call, a JSON object, into what the guest
// gets; the package comment says how. Preparing the outcome again changes
// nothing. It looks at ctx while it works. The error is [Faults], or the cause of
// ctx's end; JSON is nil then.
func (s *Schema) Prepare(ctx context.Context, args []byte) (Arguments, error) {
	v, absent, err := parseArguments(ctx, args)
	if err != nil {
		return Arguments{}, err
	}
	if absent && s.root.fallback != nil {
		v = s.root.fallback.value.Clone()
	}
	if v.Kind != jsontree.Object {
		return Arguments{}, Violations{{Kind: KindType, Message: "the arguments must be a JSON object, got " + v.Describe()}}
	}
	values, _ := v.Measure()
	w := walker{arguments: true, absent: (*field).absent, values: values, ceiling: jsontree.MaxValues, work: &budget{}}
	err = limited(argumentSpeaker.root, func() {
		w.work.start(ctx, allowance(values, len(args)))
		w.walk(&v, s.root, nil)
	})
	if err != nil {
		return Arguments{}, err
	}
	prepared := Arguments{Warnings: w.warnings(&v)}
	if w.limit != nil {
		w.limit.Message = argumentSpeaker.subject(&v, jsontree.SplitPointer(w.limit.Pointer)) + "would hold " + w.limit.Message
		return prepared, Violations{*w.limit}
	}
	work := allowance(w.values, len(args))
	if err := s.check(ctx, work, translator{doc: &v, speaker: argumentSpeaker, dropped: w.dropped}); err != nil {
		return prepared, err
	}
	text := v.AppendJSON(make([]byte, 0, len(args)+64), math.MaxInt)
	if len(text) > jsontree.MaxBytes {
		return prepared, Violations{{Kind: KindLimit, Message: fmt.Sprintf(
			"the arguments are longer than %d bytes once defaults are added; send less", jsontree.MaxBytes)}}
	}
	prepared.JSON, prepared.root = text, v
	return prepared, nil
}

// parseArguments reads the arguments; what stands for none is an empty object.
func parseArguments(ctx context.Context, args []byte) (v jsontree.Value, absent bool, err error) {
	text := string(args)
	if strings.Trim(text, " \t\r\n") != "" {
		if v, err = parseWithin(ctx, text, jsontree.Document("the arguments")); err != nil || v.Kind != jsontree.Null {
			return v, false, err
		}
	}
	return jsontree.Value{Kind: jsontree.Object}, true, nil
}

// warnings words the drops.
func (w *walker) warnings(doc *jsontree.Value) []string {
	var texts []string
	for _, d := range w.dropped {
		path := append(d.path[:len(d.path):len(d.path)], d.name)
		texts = append(texts, fmt.Sprintf("%sis not declared and was dropped%s",
			argumentSpeaker.subject(doc, path), didYouMean(d.name, d.declared, "declared are")))
	}
	if w.more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more undeclared fields were dropped", w.more))
	}
	return texts
}
