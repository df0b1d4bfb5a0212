package object

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
)

func TestRun(t *testing.T) {
	const shop = `"object": {"z": 1.10, "user": {"name": "Ann", "tags": ["a", {"id": 9007199254740993}]}, "a.b": null}`
	for _, test := range []struct{ arguments, want string }{
		{`"operation": "get", ` + shop, `{"z": 1.10, "user": {"name": "Ann", "tags": ["a", {"id": 9007199254740993}]}, "a.b": null}`},
		{`"operation": "get", "path": "user.tags[1].id", ` + shop, `9007199254740993`},
		{`"operation": "get", "path": "/a.b", ` + shop, `null`},
		{`"operation": "has", "path": "/a.b", ` + shop, `true`},
		{`"operation": "has", "path": "a.b", ` + shop, `false`},
		{`"operation": "set", "path": "z", "value": 1.20, ` + shop, `{"z": 1.20, "user": {"name": "Ann", "tags": ["a", {"id": 9007199254740993}]}, "a.b": null}`},
		{`"operation": "set", "path": "/user/tags/-", "value": null, ` + shop, `{"z": 1.10, "user": {"name": "Ann", "tags": ["a", {"id": 9007199254740993}, null]}, "a.b": null}`},
		{`"operation": "set", "path": "new.x", "value": [], "object": {}`, `{"new": {"x": []}}`},
		{`"operation": "delete", "path": "user.tags[0]", ` + shop, `{"z": 1.10, "user": {"name": "Ann", "tags": [{"id": 9007199254740993}]}, "a.b": null}`},
		{`"operation": "delete", "path": "user", ` + shop, `{"z": 1.10, "a.b": null}`},
		{`"operation": "keys", ` + shop, `["z", "user", "a.b"]`},
		{`"operation": "keys", "path": "user", ` + shop, `["name", "tags"]`},
		{`"operation": "values", "object": {"b": 1, "a": [2]}`, `[1, [2]]`},
		{`"operation": "entries", "object": {"b": 1, "a": [2]}`, `[["b", 1], ["a", [2]]]`},
		{`"operation": "entries", "object": {}`, `[]`},
		{`"operation": "from_entries", "entries": [["b", 1], ["a", 2], ["b", 3.0]]`, `{"b": 3.0, "a": 2}`},
		{`"operation": "merge", "object": {"a": {"x": 1}, "b": 1}, "other": {"c": 2, "a": {"y": 2}}`, `{"a": {"y": 2}, "b": 1, "c": 2}`},
		{`"operation": "deep_merge", "object": {"a": {"x": 1, "z": [1]}, "b": {"c": 1}}, "other": {"a": {"y": 2, "z": [2]}, "b": 3}`, `{"a": {"x": 1, "z": [2], "y": 2}, "b": 3}`},
		{`"operation": "pick", "keys": ["user.name", "z", "none"], ` + shop, `{"user": {"name": "Ann"}, "z": 1.10}`},
		{`"operation": "pick", "keys": ["user.name", "user.tags"], ` + shop, `{"user": {"name": "Ann", "tags": ["a", {"id": 9007199254740993}]}}`},
		{`"operation": "omit", "keys": ["user.tags", "/a.b", "none"], ` + shop, `{"z": 1.10, "user": {"name": "Ann"}}`},
		{`"operation": "omit", "keys": ["user.tags[1].id"], ` + shop, `{"z": 1.10, "user": {"name": "Ann", "tags": ["a", {}]}, "a.b": null}`},
		{`"operation": "rename", "names": {"a": "b", "b": "a"}, "object": {"a": 1, "b": 2, "c": 3}`, `{"b": 1, "a": 2, "c": 3}`},
		{`"operation": "rename", "path": "x", "names": {"a": ""}, "object": {"x": {"a": 1}}`, `{"x": {"": 1}}`},
		{`"operation": "flatten", ` + shop, `{"z": 1.10, "user.name": "Ann", "user.tags.0": "a", "user.tags.1.id": 9007199254740993, "a.b": null}`},
		{`"operation": "flatten", "separator": "__", "object": {"a": {"b": {}, "c": []}}`, `{"a__b": {}, "a__c": []}`},
		{`"operation": "unflatten", "object": {"a.b": 1, "c.1": "y", "c.0": "x", "d.1": 0, "e": {}}`, `{"a": {"b": 1}, "c": ["x", "y"], "d": {"1": 0}, "e": {}}`},
		{`"operation": "unflatten", "object": {"0": 1}`, `{"0": 1}`},
		{`"operation": "diff", "object": {"a": 1, "b": [1, 2, 3], "c": {"x/y": 1}, "n": 1.0}, "other": {"n": 1, "b": [1, 5], "c": {"x/y": null, "z": {}}, "d": 0}`, `[{"op": "remove", "path": "/a"}, {"op": "replace", "path": "/b/1", "value": 5}, {"op": "remove", "path": "/b/2"}, {"op": "replace", "path": "/c/x~1y", "value": null}, {"op": "add", "path": "/c/z", "value": {}}, {"op": "add", "path": "/d", "value": 0}]`},
		{`"operation": "diff", "object": {"a": [1]}, "other": {"a": [1, 2, 3]}`, `[{"op": "add", "path": "/a/1", "value": 2}, {"op": "add", "path": "/a/2", "value": 3}]`},
		{`"operation": "diff", "object": {"a": 1, "b": 2}, "other": {"b": 2, "a": 1}`, `[]`},
	} {
		t.Run(test.arguments, func(t *testing.T) {
			if got, err := tooltest.Invoke(t, Run, "{"+test.arguments+"}"); err != nil || got != test.want {
				t.Errorf("got %s, %v; want %s", got, err, test.want)
			}
		})
	}
}

func TestRun_errors(t *testing.T) {
	long := strings.Repeat("n", 1<<20)
	many := &strings.Builder{}
	for i := range 30 {
		fmt.Fprintf(many, `"k%dxxxx": 1, `, i)
	}
	for _, test := range []struct{ arguments, want string }{
		{`"operation": "put", "object": {}`, `the argument "operation" is "put"; it must be one of deep_merge, delete,`},
		{`"operation": "get"`, "get: the argument \"object\" is missing; give an object"},
		{`"operation": "get", "object": [1]`, "the argument \"object\" is of type array; it must be an object"},
		{`"operation": "get", "object": {}, "path": "a..b"`, "get: path: "},
		{`"operation": "get", "object": {"name": 1}, "path": "nam"`, `the object has no "nam"; did you mean "name"?`},
		{`"operation": "get", "object": {"name": 1, "size": 2}, "path": "weight"`, `the object has no "weight"; it has name, size`},
		{`"operation": "get", "object": {` + many.String() + `"z": 1}, "path": "other"`, `it has 31 other names; list them with the operation keys`},
		{`"operation": "get", "object": {"a": {}}, "path": "a.b.c"`, `the object at "/a" has no "b"; it is empty`},
		{`"operation": "get", "object": {"a": [1]}, "path": "a[1].c"`, `the array at "/a" has 1 items, but no item "1"`},
		{`"operation": "get", "object": {"a": "x"}, "path": "a.b"`, `the string at "/a" has no members`},
		{`"operation": "set", "object": {}, "path": "a"`, "the argument \"value\" is missing"},
		{`"operation": "set", "object": {}, "value": 1`, "the argument \"path\" is missing"},
		{`"operation": "set", "object": {"a": 1}, "path": "a.b", "value": 1`, `the value at "/a" is a number, which has no members`},
		{`"operation": "set", "object": {"a": []}, "path": "a[1]", "value": 1`, `"1" is not an index of the array at "/a"`},
		{`"operation": "delete", "object": {"a": 1}, "path": "b"`, `has no "b"`},
		{`"operation": "delete", "object": {"a": 1}`, "the argument \"path\" is missing"},
		{`"operation": "has", "object": {"a": 1}`, "the argument \"path\" is missing"},
		{`"operation": "keys", "object": {"a": [1]}, "path": "a"`, `of type array; it must be an object`},
		{`"operation": "merge", "object": {}`, "the argument \"other\" is missing"},
		{`"operation": "deep_merge", "object": {}, "other": 1`, "the argument \"other\" is of type number; it must be an object"},
		{`"operation": "diff", "object": {}, "other": []`, "the argument \"other\" is of type array"},
		{`"operation": "pick", "object": {}`, "the argument \"keys\" is missing or empty"},
		{`"operation": "pick", "object": {"a": [1]}, "keys": ["a[0]"]`, "keys[0] is a path through an array"},
		{`"operation": "omit", "object": {}, "keys": [""]`, "keys[0]: it is empty"},
		{`"operation": "omit", "object": {"a": [1]}, "keys": ["b", "a[0]"]`, "keys[1] is the path of an item of an array; use the operation delete"},
		{`"operation": "omit", "object": {}, "keys": ["a"` + strings.Repeat(`, "a"`, 100) + `]`, "more than the limit of 100 items"},
		{`"operation": "rename", "object": {"a": 1}`, "the argument \"names\" is missing"},
		{`"operation": "rename", "object": {"a": 1}, "names": {"b": "c"}`, `the object has no member "b"`},
		{`"operation": "rename", "object": {"a": 1}, "names": {"a": 1}`, `the argument "names" maps "a" to a value of type number`},
		{`"operation": "rename", "object": {"a": 1, "b": 2}, "names": {"a": "b"}`, `two members would have the name "b"`},
		{`"operation": "from_entries", "entries": [["a"]]`, `entries[0] is ["a"]; it must be a pair of a name and a value`},
		{`"operation": "from_entries"`, "the argument \"entries\" is missing"},
		{`"operation": "flatten", "object": {"a": {"b": 1}, "a.b": 2}`, `two values would have the name "a.b"`},
		{`"operation": "flatten", "object": {}, "separator": ""`, "the argument \"separator\" is empty"},
		{`"operation": "flatten", "object": {"` + long + `": [1, 2, 3, 4, 5]}`, "the names would have more than"},
		{`"operation": "diff", "object": {"` + long + `": [1, 2, 3, 4, 5]}, "other": {"` + long + `": [2, 3, 4, 5, 6]}`, "the paths of the changes would exceed"},
		{`"operation": "unflatten", "object": {"a": 1, "a.b": 2}`, `"a.b" conflicts with another name: a name can't have both a value and members`},
		{`"operation": "unflatten", "object": {"a.b": 1, "a": 2}`, `"a" conflicts with another name: a name`},
		{`"operation": "unflatten", "object": {"` + strings.Repeat("a.", 1001) + `": 1}`, "more than 1000 parts"},
		{`"operation": "get", "object": {"a": "` + long + `"}`, "the limit is 1048576"},
	} {
		t.Run(test.arguments[:min(len(test.arguments), 100)], func(t *testing.T) {
			got, err := tooltest.Invoke(t, Run, "{"+test.arguments+"}")
			if err == nil || !strings.Contains(err.Error(), test.want) || got != "" {
				t.Errorf("got %.100s, %.300v; want an error with %q", got, err, test.want)
			}
		})
	}
}

// Applying a patch from diff to the first object gives the second object.
func FuzzDiff(f *testing.F) {
	f.Add(`{"a": [1, {"b": 2}], "c": {}}`, `{"a": [{"b": 3}], "d": [[]]}`)
	f.Add(`{"a": {"~/": 1}, "": 0}`, `{"a": {"~/": 1.0, "x": 2}}`)
	f.Fuzz(func(t *testing.T, first, second string) {
		a, errA := jsonvalue.Parse([]byte(first))
		b, errB := jsonvalue.Parse([]byte(second))
		if errA != nil || errB != nil || a.Kind() != jsonvalue.Object || b.Kind() != jsonvalue.Object {
			return
		}
		patch, err := diff(call{Args: Args{Other: b}, object: a})
		if err != nil {
			return // the result was too large
		}
		patched := a
		for _, change := range patch.Items() {
			patched = applied(t, patched, change.Members())
		}
		if patched.Compare(b) != 0 {
			t.Errorf("%v with %v is %v, want %v", a, patch, patched, b)
		}
	})
}

// applied applies one operation of a patch.
func applied(t *testing.T, v jsonvalue.Value, change *jsonvalue.Members) jsonvalue.Value {
	t.Helper()
	operation, _ := change.Get("op")
	where, _ := change.Get("path")
	path, err := jsonvalue.ParsePath(where.Text())
	if err != nil {
		t.Fatal(err)
	}
	if operation.Text() == "remove" {
		rest, ok := v.Without(path)
		if !ok {
			t.Fatalf("there is nothing to remove at %q in %v", path, v)
		}
		return rest
	}
	value, _ := change.Get("value")
	changed, err := v.With(path, value)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// An object that the host could not read is an error that says what to do.
func TestRunRefusesDeepResults(t *testing.T) {
	var out strings.Builder
	err := Run(Args{Operation: "set", Object: jsonvalue.NewObject(&jsonvalue.Members{}), Path: strings.Repeat("/a", 70), Value: jsonvalue.NewInt(1)}, &out)
	if err == nil || !strings.Contains(err.Error(), "set: the result is nested too deeply") || out.Len() > 0 {
		t.Errorf("got %v, %q", err, out.String())
	}
}
