package catalogue

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Change is one difference between two specs of a tool.
type Change struct {
	// Field is the name of the field, such as "description".
	Field string `json:"field"`
	// Before and After are the old and the new value as strings. A list has one Change for each
	// removed element, with only Before, and one for each added element, with only After.
	Before string `json:"before"`
	After  string `json:"after"`
}

// Diff lists what an update or a replacement changed, the most important changes first, such as
// permissions. It is empty if nothing changed.
type Diff []Change

// String returns one line for each change.
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

// diff compares two specs.
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
	value("icon", before.Icon, after.Icon)
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

// without returns the elements of a that are not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// compact removes white space from JSON, so that diff ignores the layout.
func compact(raw json.RawMessage) string {
	text, err := plainjson.Compact(raw)
	if err != nil {
		return string(raw)
	}
	return string(text)
}
