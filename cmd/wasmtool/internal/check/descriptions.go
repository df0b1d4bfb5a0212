package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/suggest"
)

const (
	// maxDescription is the number of characters that all providers accept.
	maxDescription = 1024
	// minName is the length of the shortest name that may be a misspelt one.
	minName = 4
)

// descriptions looks for texts that mislead a model. A manifest with a hidden character does not
// load, so only a program that describes its tool can have one here.
func (s *subject) descriptions() {
	found := func(fix, format string, args ...any) {
		s.record(Finding{Kind: Description, Message: fmt.Sprintf(format, args...), Fix: fix})
	}
	if n := utf8.RuneCountInString(s.info.Description); n > maxDescription {
		found("shorten it, or move a part to the parameters", "the description has %d characters, but some models accept at most %d", n, maxDescription)
	}
	if bad, hidden := plaintext.First(s.info.Description, plaintext.Lines); hidden {
		found("leave it out", "the description contains %s", bad)
	}
	if bad := jsonschema.CheckTexts(s.info.Parameters); bad != nil {
		found("leave it out", "the parameters: %s", bad)
	}
	known := s.knownNames()
	s.misspelt(known, "the description", s.info.Description)
	eachProperty(s.schema.Tree(), "", 0, func(pointer string, schema *jsontree.Value) {
		text := schema.Member("description").Text()
		if strings.TrimSpace(text) == "" && schema.Kind == jsontree.Object && schema.Member("$ref") == nil && schema.Member("const") == nil {
			found("say what the parameter means, in which unit and form", "the parameter %s has no description", pointer)
		}
		s.misspelt(known, "the description of "+pointer, text)
	})
}

// eachProperty visits the schemas of all properties, at any depth.
func eachProperty(schema *jsontree.Value, at string, depth int, visit func(pointer string, property *jsontree.Value)) {
	if schema == nil || depth > maxDepth {
		return
	}
	eachProperty(schema.Member("items"), at+"/items", depth+1, visit)
	if properties := schema.Member("properties"); properties != nil {
		for i := range properties.Members {
			m := &properties.Members[i]
			pointer := at + "/" + jsontree.EscapeToken(m.Name)
			visit(pointer, &m.Value)
			eachProperty(&m.Value, pointer, depth+1, visit)
		}
	}
}

// names matches what a text can mean as the name of a parameter, a value or a tool: words in
// backticks and words with an underscore.
var names = lazyregexp.New("`([A-Za-z][A-Za-z0-9_-]*)`|\\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\\b")

// knownNames returns the names that the texts of the tool may use.
func (s *subject) knownNames() map[string]bool {
	known := map[string]bool{s.m.Name: true}
	for _, name := range slices.Concat(s.stage.Names(), s.info.Aliases, s.m.Permissions.Tools, s.m.Permissions.Env, s.m.Tags) {
		known[name] = true
	}
	for _, setting := range s.m.Settings {
		known[setting.Name] = true
		for _, value := range setting.Values {
			known[value] = true
		}
	}
	if s.m.Result != nil {
		addNames(known, s.m.Result.Tree())
	}
	addNames(known, s.schema.Tree())
	return known
}

// addNames adds the names of all fields of a schema, and all its strings that are one word.
func addNames(known map[string]bool, v *jsontree.Value) {
	if text := v.Text(); text != "" && !strings.Contains(text, " ") {
		known[text] = true
	}
	for i := range v.Items {
		addNames(known, &v.Items[i])
	}
	for i := range v.Members {
		known[v.Members[i].Name] = true
		addNames(known, &v.Members[i].Value)
	}
}

// misspelt looks for a name that does not exist, but is like one that does. Other unknown names may
// be of something outside the tool.
func (s *subject) misspelt(known map[string]bool, where, text string) {
	list := slices.Sorted(maps.Keys(known))
	for _, match := range names.Regexp().FindAllStringSubmatch(text, -1) {
		name := match[1] + match[2]
		if known[name] || len(name) < minName {
			continue
		}
		if near := suggest.Nearest(name, list); near != "" {
			s.record(Finding{Kind: Description, Message: fmt.Sprintf("%s names %s, which does not exist", where, name), Fix: "write " + near})
		}
	}
}
