package catalogue

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Change is one difference between two Specs of a tool.
type Change struct {
	// Field is the name of the field, such as "description".
	Field string `json:"field"`
	// Before and After are its values as text; of a list, what was taken away and
	// what was added.
	Before string `json:"before"`
	After  string `json:"after"`
}

// Diff is what an update or a replacement changed, in the order of importance:
// what the tool may reach first. It is empty when nothing changed.
type Diff []Change

// String prints one line for each change.
func (d Diff) String() string {
	var b strings.Builder
	for _, c := range d {
		switch {
		case c.Before == "":
			fmt.Fprintf(&b, "%s: + %s\n", c.Field, c.After)
		case c.After == "":
			fmt.Fprintf(&b, "%s: - %s\n", c.Field, c.Before)
		default:
			fmt.Fprintf(&b, "%s: %s -> %s\n", c.Field, c.Before, c.After)
		}
	}
	return b.String()
}

// diff compares two Specs.
func diff(before, after tool.Spec) Diff {
	var d Diff
	value := func(field, a, b string) {
		if a != b {
			d = append(d, Change{field, a, b})
		}
	}
	list := func(field string, a, b []string) {
		for _, gone := range without(a, b) {
			d = append(d, Change{Field: field, Before: gone})
		}
		for _, added := range without(b, a) {
			d = append(d, Change{Field: field, After: added})
		}
	}
	value("name", before.Name, after.Name)
	list("permissions", before.Permissions.Describe(), after.Permissions.Describe())
	value("dangerous", fmt.Sprint(before.Dangerous), fmt.Sprint(after.Dangerous))
	value("sandboxed", fmt.Sprint(before.Sandboxed), fmt.Sprint(after.Sandboxed))
	value("version", before.Version, after.Version)
	value("source", before.Source, after.Source)
	value("title", before.Title, after.Title)
	value("description", before.Description, after.Description)
	value("parameters", compact(before.Parameters), compact(after.Parameters))
	value("result", compact(before.Result), compact(after.Result))
	value("timeout", before.Timeout.String(), after.Timeout.String())
	value("confirm", before.Confirm, after.Confirm)
	value("category", before.Category, after.Category)
	list("tags", before.Tags, after.Tags)
	list("aliases", before.Aliases, after.Aliases)
	return d
}

// without returns the elements of a that b has not.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// compact drops the spaces of a JSON text, so that its layout is no difference.
func compact(raw json.RawMessage) string {
	text, err := plainjson.Compact(raw)
	if err != nil {
		return string(raw)
	}
	return string(text)
}
