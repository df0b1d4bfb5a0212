package jsonschema

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// Arguments holds the prepared arguments of one call. The zero value has no arguments.
type Arguments struct {
	// JSON is the exact input of the guest: one object in compact form, with the literals that were
	// sent.
	JSON json.RawMessage
	// Warnings names the fields that were dropped because the schema does not declare them, with a
	// suggestion for each. It has at most 21 entries. It is also set if there are violations.
	Warnings []string
	// Undeclared has a violation for each dropped field, for callers that refuse such fields. It is
	// as long as Warnings.
	Undeclared Violations

	root jsontree.Value
}

// Key returns a key for comparing arguments. The arguments of two calls have the same key if and
// only if they are equal in JSON Schema.
func (a *Arguments) Key() []byte { return a.root.Key() }

// Text returns a top-level argument as a string: the content of a string, the literal of a number
// or a boolean, or the JSON of an array or an object. It returns false if the argument is absent or
// null.
func (a *Arguments) Text(name string) (string, bool) {
	v := a.root.Member(name)
	switch {
	case v == nil || v.Kind == jsontree.Null:
		return "", false
	case v.Kind == jsontree.String:
		return v.Text(), true
	}
	return string(v.JSON()), true
}

// Fields returns the top-level arguments as JSON, with the literals that were sent. It returns a
// new map each time.
func (a *Arguments) Fields() map[string]json.RawMessage {
	fields := make(map[string]json.RawMessage, len(a.root.Members))
	for i := range a.root.Members {
		fields[a.root.Members[i].Name] = a.root.Members[i].Value.JSON()
	}
	return fields
}

// Tree returns the arguments as [json.Decoder] decodes them with UseNumber. It returns a new tree
// each time.
func (a *Arguments) Tree() any { return a.root.Tree(nil) }

// Prepare turns the arguments of a call, which are a JSON object, into the arguments that the guest
// gets. The package comment describes the steps. Preparing the result again does not change it.
// Prepare stops when ctx is done. The error is [Violations] or the cause of ctx. With an error,
// JSON is nil.
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
	err = limited(argumentNamer.root, func() {
		w.work.start(ctx, allowance(values, len(args)))
		w.walk(&v, s.root)
	})
	if err != nil {
		return Arguments{}, err
	}
	var prepared Arguments
	prepared.Warnings, prepared.Undeclared = w.undeclared(&v)
	if w.limit != nil {
		w.limit.Message = argumentNamer.subject(&v, jsontree.SplitPointer(w.limit.Pointer)) + "would hold " + w.limit.Message
		return prepared, Violations{*w.limit}
	}
	if len(w.duplicates) > 0 {
		return prepared, w.duplicateFields(&v)
	}
	work := allowance(w.values, len(args))
	if err := s.check(ctx, work, translator{doc: &v, namer: argumentNamer, dropped: w.dropped}); err != nil {
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

// parseArguments parses the arguments. If they are absent, it returns an empty object.
func parseArguments(ctx context.Context, args []byte) (v jsontree.Value, absent bool, err error) {
	text := string(args)
	if strings.Trim(text, " \t\r\n") != "" {
		if v, err = parseWithin(ctx, text, jsontree.Document("the arguments")); err != nil || v.Kind != jsontree.Null {
			return v, false, err
		}
	}
	return jsontree.Value{Kind: jsontree.Object}, true, nil
}

// undeclared returns a warning and a violation for each dropped field.
func (w *walker) undeclared(doc *jsontree.Value) (warnings []string, violations Violations) {
	for _, d := range w.dropped {
		path := append(d.path[:len(d.path):len(d.path)], d.name)
		subject, hint := argumentNamer.subject(doc, path), didYouMean(d.name, d.declared, "declared are")
		warnings = append(warnings, subject+"is not declared and was dropped"+hint)
		violations = append(violations, Violation{
			Pointer: jsontree.FormatPointer(path), Kind: KindUndeclared, Message: subject + "is not declared" + hint,
		})
	}
	if w.more > 0 {
		warnings = append(warnings, fmt.Sprintf("and %d more undeclared fields were dropped", w.more))
		violations = append(violations, Violation{Kind: KindUndeclared, Message: fmt.Sprintf("and %d more fields are not declared", w.more)})
	}
	return warnings, violations
}
