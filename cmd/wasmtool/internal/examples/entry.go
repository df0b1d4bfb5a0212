package examples

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/manifests"
)

// errNull is the error of arguments that a manifest cannot have.
var errNull = errors.New("TOML has no null")

// Entry returns an example as [[examples]] of a manifest. It leaves out what the example expects
// of the call, except for Output. The error says why a manifest cannot have the example.
func Entry(e manifests.Example) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "[[examples]]\ntitle = %s\n", quoted(e.Title))
	arguments, err := inline(e.Object())
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "arguments = %s\n", arguments)
	before := make([]string, len(e.Before))
	for i, raw := range e.Before {
		if before[i], err = inline(raw); err != nil {
			return "", err
		}
	}
	if len(before) > 0 {
		fmt.Fprintf(&b, "before = [%s]\n", strings.Join(before, ", "))
	}
	files := make(map[string]string)
	for _, f := range e.Files {
		files[f.String()] = f.Text
	}
	for _, table := range []struct {
		key    string
		values map[string]string
	}{{"files", files}, {"secrets", e.Secrets}, {"store", e.Store}} {
		if len(table.values) > 0 {
			fmt.Fprintf(&b, "%s = { %s }\n", table.key, pairs(table.values))
		}
	}
	if !e.Now.IsZero() {
		fmt.Fprintf(&b, "now = %s\n", quoted(e.Now.Format(time.RFC3339)))
	}
	if e.Seed != 0 {
		fmt.Fprintf(&b, "seed = %d\n", e.Seed)
	}
	fmt.Fprintf(&b, "output = %s\n", quoted(e.Output))
	for _, answer := range e.HTTP {
		if answer.Body.JSON && answer.Headers["Content-Type"] == "" {
			answer.Headers = maps.Clone(answer.Headers)
			if answer.Headers == nil {
				answer.Headers = make(map[string]string)
			}
			answer.Headers["Content-Type"] = "application/json"
		}
		b.WriteString(entry(answer))
	}
	return b.String(), nil
}

// inline returns a JSON value as a value in TOML, on one line.
func inline(raw json.RawMessage) (string, error) {
	if hidden := jsonschema.CheckTexts(raw); hidden != nil {
		return "", fmt.Errorf("a manifest cannot have it: %s", hidden)
	}
	v, err := jsontree.Parse(raw, jsontree.Document("the arguments"))
	if err != nil {
		return "", err
	}
	return inlineValue(&v)
}

func inlineValue(v *jsontree.Value) (string, error) {
	var parts []string
	for i := range v.Items {
		text, err := inlineValue(&v.Items[i])
		if err != nil {
			return "", err
		}
		parts = append(parts, text)
	}
	for i := range v.Members {
		text, err := inlineValue(&v.Members[i].Value)
		if err != nil {
			return "", err
		}
		parts = append(parts, key(v.Members[i].Name)+" = "+text)
	}
	switch text := strings.Join(parts, ", "); {
	case v.Kind == jsontree.Null:
		return "", errNull
	case v.Kind == jsontree.String:
		return quotedLine(v.Text()), nil
	case v.Kind == jsontree.Array:
		return "[" + text + "]", nil
	case v.Kind == jsontree.Object && text == "":
		return "{}", nil
	case v.Kind == jsontree.Object:
		return "{ " + text + " }", nil
	}
	return v.Literal, nil
}

// pairs returns strings by name as the inside of a table in braces.
func pairs(values map[string]string) string {
	return strings.Join(each.Of(slices.Sorted(maps.Keys(values)), func(name string) string { return key(name) + " = " + quotedLine(values[name]) }), ", ")
}

// key returns a name as a key, with quotes if it needs them.
func key(name string) string {
	bare := name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-')
	})
	if bare {
		return name
	}
	return quotedLine(name)
}
