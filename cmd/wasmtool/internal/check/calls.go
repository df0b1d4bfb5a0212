package check

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/standard"
)

// maxAttempts limits how often arguments that do not fit the schema are replaced by others.
const maxAttempts = 10

// calls makes examples for a tool, without an expected result.
type calls struct {
	*generator
	worlds []manifests.Example
	m      standard.LoadedManifest
}

// words returns the strings of examples that mean something to the tool.
func words(worlds []manifests.Example) []string {
	set := make(map[string]bool)
	for _, e := range worlds {
		if value, err := decode(e.Object()); err == nil {
			addWords(set, value)
		}
		for _, f := range e.Files {
			set[f.Path] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

func addWords(set map[string]bool, value any) {
	switch v := value.(type) {
	case string:
		set[v] = true
	case []any:
		for _, item := range v {
			addWords(set, item)
		}
	case map[string]any:
		for _, item := range v {
			addWords(set, item)
		}
	}
}

// next returns a call in the world of an example or in an empty one. It changes the arguments of
// the example, or makes new ones. ok is false if it finds no valid arguments.
func (c *calls) next(valid func(json.RawMessage) bool) (manifests.Example, bool) {
	var e manifests.Example
	if len(c.worlds) > 0 && !c.chance(4) {
		e = c.worlds[c.rand.IntN(len(c.worlds))]
	}
	e.Error, e.HasOutput, e.Contains, e.After, e.Gone, e.StoreAfter = "", false, nil, nil, nil, nil
	if c.m.Permissions.Clock && e.Now.IsZero() {
		e.Now = time.Date(2026, time.January, 31, 15, 4, 5, 0, time.UTC)
	}
	if c.m.Permissions.Random && e.Seed == 0 {
		e.Seed = 1
	}
	given := e.Arguments
	for range maxAttempts {
		value := c.document()
		if base, err := decode(given); err == nil && c.chance(2) {
			value = c.changed(base, value)
		}
		raw, err := json.Marshal(value)
		if err == nil && valid(raw) {
			e.Arguments = raw
			return e, true
		}
	}
	return e, false
}

// changed returns the arguments of an example with one or two fields of other arguments, and
// sometimes without one of its own.
func (c *calls) changed(base, other any) any {
	fields, ok := base.(map[string]any)
	changes, _ := other.(map[string]any)
	if !ok {
		return other
	}
	fields = maps.Clone(fields)
	if names := slices.Sorted(maps.Keys(fields)); len(names) > 0 && c.chance(4) {
		delete(fields, names[c.rand.IntN(len(names))])
	}
	if names := slices.Sorted(maps.Keys(changes)); len(names) > 0 {
		for range 1 + c.rand.IntN(2) {
			name := names[c.rand.IntN(len(names))]
			fields[name] = changes[name]
		}
	}
	return fields
}
