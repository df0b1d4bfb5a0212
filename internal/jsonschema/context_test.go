package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/fewlooks"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// Long work stops at the first check of a context that is done.
func TestWorkEndsWithTheContext(t *testing.T) {
	numbers := "[" + strings.Repeat("1.5,", 100_000) + "1.5]"
	long := `"` + strings.Repeat("a", 1<<20) + `"`
	var names, fields []string
	for i := range 1500 {
		names = append(names, fmt.Sprintf(`"name%d":{"type":"string"}`, i))
	}
	for i := range 20_000 {
		fields = append(fields, fmt.Sprintf(`"field%d":1`, i))
	}
	for name, tt := range map[string]struct{ schema, value string }{
		"visits":              {`{"items":{"anyOf":[{"minimum":1},{"maximum":1}]}}`, numbers},
		"violations":          {`{"items":{"type":"string"}}`, numbers},
		"a long match":        {`{"pattern":"^(a|b)+c?$"}`, long},
		"a long search":       {`{"pattern":"b"}`, long},
		"equal items":         {`{"uniqueItems":true}`, "[" + long + "," + long + ",1,2,3]"},
		"forms of strings":    {`{"anyOf":[{"format":"uri"},{"format":"email"},{"format":"date"}]}`, long},
		"objects with no end": {`{"items":{"properties":{` + strings.Join(names, ",") + `}}}`, "[" + strings.Repeat("{},", 20_000) + "{}]"},
		"undeclared fields":   {`{"additionalProperties":false}`, "{" + strings.Join(fields, ",") + "}"},
		"names of fields":     {`{"propertyNames":{"maxLength":3}}`, "{" + strings.Join(fields, ",") + "}"},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustCompile(t, object(`"p":`+tt.schema))
			args := []byte(`{"p":` + tt.value + `}`)
			unbounded := &fewlooks.Context{Context: t.Context(), Most: 1 << 40}
			_, _ = s.Prepare(unbounded, args)
			looks := unbounded.Looks
			if looks < 5 {
				t.Fatalf("the context was checked %d times", looks)
			}
			for _, left := range []int{0, looks / 2, looks - 1} {
				ctx := &fewlooks.Context{Context: t.Context(), Most: left}
				prepared, err := s.Prepare(ctx, args)
				if !errors.Is(err, context.DeadlineExceeded) || prepared.JSON != nil || ctx.Looks > left+2 {
					t.Errorf("after %d of %d checks: %v, and %d more checks", left, looks, err, ctx.Looks-left)
				}
			}
			ctx := &fewlooks.Context{Context: t.Context(), Most: 1}
			if err := s.Validate(ctx, args); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a result: %v", err)
			}
			if _, err := s.Prepare(t.Context(), []byte(`{}`)); err != nil {
				t.Errorf("the next call: %v", err)
			}
		})
	}
}

// Parsing a document and converting it for the validator stop when the context is done.
func TestReadingEndsWithTheContext(t *testing.T) {
	doc := "[" + strings.Repeat("1,", 100_000) + "1]"
	ctx := &fewlooks.Context{Context: t.Context(), Most: 50}
	if _, err := parseWithin(ctx, doc, jsontree.Document("the result")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("parsing: %v", err)
	}
	v, err := parseWithin(t.Context(), doc, jsontree.Document("the result"))
	if err != nil {
		t.Fatal(err)
	}
	ctx = &fewlooks.Context{Context: t.Context(), Most: 50}
	if err := limited("the result", func() { v.Tree(&budget{left: math.MaxInt, ctx: ctx}) }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the tree: %v", err)
	}
}

// Only the findings that become messages are sorted, even if there are many others.
func TestFirstFindings(t *testing.T) {
	var found []finding
	for i := range 5000 {
		found = append(found, finding{path: []string{fmt.Sprintf("%04d", (i*7919)%5000)}, what: undeclared{}})
	}
	var tr translator
	first := tr.first(found)
	if len(first) != maxWorded+1 {
		t.Fatalf("%d findings", len(first))
	}
	for i, one := range first {
		if one.path[0] != fmt.Sprintf("%04d", i) {
			t.Fatalf("finding %d is %v", i, one.path)
		}
	}
}
