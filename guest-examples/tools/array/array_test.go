package array

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/valuetool"
)

func TestRun(t *testing.T) {
	for _, test := range []struct{ arguments, want string }{
		{`"operation": "sort", "items": ["b", 10, 9.5, null, "a", true, [2], 1e1, -1]`, `[null, true, -1, 9.5, 10, 1e1, "a", "b", [2]]`},
		{`"operation": "sort", "items": [9007199254740993, 9007199254740992, 9007199254740992.5], "descending": true`, `[9007199254740993, 9007199254740992.5, 9007199254740992]`},
		{`"operation": "sort", "items": [{"a": 2, "n": 1}, {"a": 1, "n": 2}, {"a": 2.0, "n": 3}, {"n": 4}], "path": "/a"`, `[{"n": 4}, {"a": 1, "n": 2}, {"a": 2, "n": 1}, {"a": 2.0, "n": 3}]`},
		{`"operation": "sort", "items": [{"a": 2, "n": 1}, {"a": 2.0, "n": 3}, {"a": 3}], "path": "a", "descending": true`, `[{"a": 3}, {"a": 2, "n": 1}, {"a": 2.0, "n": 3}]`},
		{`"operation": "reverse", "items": [1.10, "x", null]`, `[null, "x", 1.10]`},
		{`"operation": "unique", "items": [1, 1.0, "1", 10e-1, {"a": 1, "b": 2}, {"b": 2, "a": 1}]`, `[1, "1", {"a": 1, "b": 2}]`},
		{`"operation": "unique", "items": [{"k": 1}, {"k": 2}, {"k": 1, "x": 0}, {}, {"k": null}], "path": "k"`, `[{"k": 1}, {"k": 2}, {}]`},
		{`"operation": "slice", "items": [0, 1, 2, 3, 4], "start": 1, "end": -1`, `[1, 2, 3]`},
		{`"operation": "slice", "items": [0, 1, 2], "start": -2`, `[1, 2]`},
		{`"operation": "slice", "items": [0, 1, 2], "start": 2, "end": 1`, `[]`},
		{`"operation": "slice", "items": [0, 1, 2], "start": -99, "end": 99`, `[0, 1, 2]`},
		{`"operation": "first", "items": [[1], 2]`, `[1]`},
		{`"operation": "first", "items": [1, 2, 3], "count": 2`, `[1, 2]`},
		{`"operation": "first", "items": [], "count": 2`, `[]`},
		{`"operation": "last", "items": [1, 2, 3]`, `3`},
		{`"operation": "last", "items": [1, 2, 3], "count": 9`, `[1, 2, 3]`},
		{`"operation": "last", "items": [1, 2, 3], "count": 2`, `[2, 3]`},
		{`"operation": "chunk", "items": [1, 2, 3, 4, 5], "count": 2`, `[[1, 2], [3, 4], [5]]`},
		{`"operation": "chunk", "items": [1], "count": 9223372036854775807`, `[[1]]`},
		{`"operation": "chunk", "items": [], "count": 1`, `[]`},
		{`"operation": "flatten", "items": [1, [2, [3, [4]]], [], {"a": [5]}]`, `[1, 2, [3, [4]], {"a": [5]}]`},
		{`"operation": "flatten", "items": [1, [2, [3, [4]]]], "depth": 99`, `[1, 2, 3, 4]`},
		{`"operation": "range", "end": 4`, `[0, 1, 2, 3]`},
		{`"operation": "range", "start": 5, "end": -1, "step": -2`, `[5, 3, 1]`},
		{`"operation": "range", "start": 1, "end": 0`, `[]`},
		{`"operation": "concat", "items": [1, 2], "other": [2]`, `[1, 2, 2]`},
		{`"operation": "zip", "items": ["a", "b", "c"], "other": [1, 2]`, `[["a", 1], ["b", 2]]`},
		{`"operation": "union", "items": [1, 2, 1], "other": [2.0, 3]`, `[1, 2, 3]`},
		{`"operation": "intersect", "items": [3, 1, 2, 3], "other": [2, 3.0]`, `[3, 2]`},
		{`"operation": "intersect", "items": [{"id": 1, "a": 1}, {"id": 2}], "other": [{"id": 1}], "path": "id"`, `[{"id": 1, "a": 1}]`},
		{`"operation": "difference", "items": [1, "1", 1, 2, 2], "other": [1.00]`, `["1", 2]`},
		{`"operation": "difference", "items": [1], "other": []`, `[1]`},
		{`"operation": "pluck", "items": [{"a": [{"b": 1.50}]}, {"a": []}, 7], "path": "a[0].b"`, `[1.50, null, null]`},
		{`"operation": "filter", "items": [1, 2.0, "2", 2, null], "value": 2`, `[2.0, 2]`},
		{`"operation": "filter", "items": [{"a": null}, {}, {"a": 1}], "path": "a", "value": null`, `[{"a": null}]`},
		{`"operation": "filter", "items": [{"a": null}, {}, {"a": 1}], "path": "a", "compare": "ne", "value": 1`, `[{"a": null}, {}]`},
		{`"operation": "filter", "items": [1, 2, 3, "1"], "compare": "lt", "value": 2`, `[1]`},
		{`"operation": "filter", "items": [1, 2, 3], "compare": "le", "value": 2`, `[1, 2]`},
		{`"operation": "filter", "items": ["2026-01-31", "2025-12-31", 5], "compare": "gt", "value": "2026"`, `["2026-01-31"]`},
		{`"operation": "filter", "items": [1, 2, 3], "compare": "ge", "value": 2`, `[2, 3]`},
		{`"operation": "filter", "items": [1, 2, 3], "compare": "in", "value": [3, 1.0]`, `[1, 3]`},
		{`"operation": "filter", "items": ["abc", "b", ["b"], ["abc"], 5], "compare": "contains", "value": "b"`, `["abc", "b", ["b"]]`},
		{`"operation": "filter", "items": ["a.go", "b.rs", 5], "compare": "matches", "value": "\\.go$"`, `["a.go"]`},
		{`"operation": "filter", "items": [{"a": null}, {"b": 1}], "path": "a", "compare": "exists"`, `[{"a": null}]`},
		{`"operation": "filter", "items": [{"a": null}, {"b": 1}], "path": "a", "compare": "missing"`, `[{"b": 1}]`},
		{`"operation": "group_by", "items": [{"k": "x", "n": 1}, {"k": 1}, {"k": "x", "n": 2}, {"k": 1.0}, {}], "path": "k"`, `{"x": [{"k": "x", "n": 1}, {"k": "x", "n": 2}], "1": [{"k": 1}, {"k": 1.0}], "null": [{}]}`},
		{`"operation": "count_by", "items": ["b", "a", "b", [1], [1.0]]`, `{"b": 2, "a": 1, "[1]": 2}`},
		{`"operation": "length", "items": [1, [2, 3]]`, `2`},
		{`"operation": "contains", "items": [1, {"a": 1.0}], "value": {"a": 1}`, `true`},
		{`"operation": "contains", "items": [], "value": null`, `false`},
		{`"operation": "index_of", "items": ["a", "b", "b"], "value": "b"`, `1`},
		{`"operation": "index_of", "items": [{"id": 7}], "path": "id", "value": 8`, `-1`},
		{`"operation": "min", "items": [3, 1e-999, 2]`, `1e-999`},
		{`"operation": "max", "items": [{"v": 1}, {"v": 3, "a": 1}, {"v": 3, "a": 2}], "path": "v"`, `{"v": 3, "a": 1}`},
		{`"operation": "sum", "items": [0.1, 0.2, 9007199254740993, -1e-5]`, `9007199254740993.29999`},
		{`"operation": "sum", "items": [1e300, -1e300, 1]`, `1`},
		{`"operation": "sum", "items": []`, `0`},
		{`"operation": "avg", "items": [1, 2, 4]`, `2.33333333333333333333333333333`},
		{`"operation": "avg", "items": [-1.5, -2]`, `-1.75`},
	} {
		t.Run(test.arguments, func(t *testing.T) {
			if got, err := tooltest.Invoke(t, Run, "{"+test.arguments+"}"); err != nil || got != test.want {
				t.Errorf("got %s, %v; want %s", got, err, test.want)
			}
		})
	}
}

func TestRun_errors(t *testing.T) {
	for _, test := range []struct{ arguments, want string }{
		{`"operation": "order", "items": []`, `the argument "operation" is "order"; it must be one of avg, chunk,`},
		{`"operation": "sort"`, "sort: the argument \"items\" is missing; give an array"},
		{`"operation": "sort", "items": {"a": 1}`, "the argument \"items\" is of type object; it must be an array"},
		{`"operation": "sort", "items": null`, "the argument \"items\" is of type null"},
		{`"operation": "sort", "items": [], "path": "a..b"`, "sort: path: "},
		{`"operation": "union", "items": []`, "union: the argument \"other\" is missing"},
		{`"operation": "zip", "items": [1], "other": 5`, "the argument \"other\" is of type number"},
		{`"operation": "concat", "items": [1]`, "the argument \"other\" is missing"},
		{`"operation": "intersect", "items": [1]`, "the argument \"other\" is missing"},
		{`"operation": "contains", "items": [1]`, "the argument \"value\" is missing"},
		{`"operation": "filter", "items": [1], "compare": "gt"`, "the argument \"value\" is missing"},
		{`"operation": "filter", "items": [1], "compare": "like", "value": 1`, `the argument "compare" is "like"; it must be eq,`},
		{`"operation": "filter", "items": [1], "compare": "in", "value": 1`, "the argument \"value\" is of type number; it must be an array"},
		{`"operation": "filter", "items": [1], "compare": "matches", "value": 1`, "for matches it must be a string with a regular expression"},
		{`"operation": "filter", "items": [1], "compare": "matches", "value": "("`, "the argument \"value\" is not a valid RE2 regular expression"},
		{`"operation": "pluck", "items": [1]`, "the argument \"path\" is missing"},
		{`"operation": "first", "items": []`, "the argument \"items\" is empty"},
		{`"operation": "last", "items": []`, "the argument \"items\" is empty"},
		{`"operation": "last", "items": [1], "count": -1`, "the argument \"count\" is -1"},
		{`"operation": "min", "items": []`, "the argument \"items\" is empty"},
		{`"operation": "avg", "items": []`, "the argument \"items\" is empty"},
		{`"operation": "chunk", "items": [1]`, "the argument \"count\" must be at least 1"},
		{`"operation": "chunk", "items": [1], "count": 0`, "the argument \"count\" must be at least 1"},
		{`"operation": "flatten", "items": [1], "depth": 0`, "the argument \"depth\" is 0"},
		{`"operation": "range"`, "the argument \"end\" is missing"},
		{`"operation": "range", "end": 1, "step": 0`, "the argument \"step\" is 0"},
		{`"operation": "range", "end": 100000000`, "more than 100000 numbers"},
		{`"operation": "range", "start": -9223372036854775808, "end": 9223372036854775807`, "must be from -2^53 to 2^53"},
		{`"operation": "sum", "items": [1, null]`, "items[1] has the value null, which is not a number"},
		{`"operation": "sum", "items": [{"a": 1}, {}], "path": "a"`, "items[1] has the value null"},
		{`"operation": "sum", "items": [1e999999999]`, "the number 1e999999999 has more than 1000 digits"},
		{`"operation": "avg", "items": [1e-999999999, 1]`, "more than 1000 digits"},
		{`"operation": "concat", "items": ["` + strings.Repeat("a", valuetool.MaxOutput) + `"], "other": []`, "the limit is 1048576"},
	} {
		t.Run(test.arguments[:min(len(test.arguments), 100)], func(t *testing.T) {
			got, err := tooltest.Invoke(t, Run, "{"+test.arguments+"}")
			if err == nil || !strings.Contains(err.Error(), test.want) || got != "" {
				t.Errorf("got %.100s, %.200v; want an error with %q", got, err, test.want)
			}
		})
	}
}

// Numbers in random order are sorted in the order of floating-point numbers, and sum adds them like
// integers.
func TestRun_againstFloats(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var floats []float64
	total := int64(0)
	for range 1000 {
		cents := random.Int64N(2_000_001) - 1_000_000
		total += cents
		floats = append(floats, float64(cents)/100)
	}
	items, err := json.Marshal(floats)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tooltest.Invoke(t, Run, fmt.Sprintf(`{"operation": "sort", "items": %s}`, items))
	if err != nil {
		t.Fatal(err)
	}
	var sorted []float64
	if err := json.Unmarshal([]byte(got), &sorted); err != nil {
		t.Fatal(err)
	}
	slices.Sort(floats)
	if !slices.Equal(sorted, floats) {
		t.Error("the order differs from the order of the floats")
	}
	got, err = tooltest.Invoke(t, Run, fmt.Sprintf(`{"operation": "sum", "items": %s}`, items))
	want := strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", float64(total)/100), "0"), ".")
	if err != nil || got != want {
		t.Errorf("the sum is %s, %v; want %s", got, err, want)
	}
}
