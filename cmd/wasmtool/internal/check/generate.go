package check

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

const (
	// maxDepth limits the nesting of generated values. Deeper, optional parts are left out.
	maxDepth = 6
	// maxNodes limits the values in one document, apart from required ones.
	maxNodes = 200
	// maxWork limits the schemas that are read for one document, which may refer to themselves.
	maxWork = 20 * maxNodes
	// maxText limits generated strings whose schema has no maxLength, in characters.
	maxText = 16 << 10
	// longest limits all other generated strings, in characters.
	longest = 1 << 20
)

// generator makes values that fit a schema in most cases. What it makes depends only on the schema,
// the words and the random numbers. The caller validates the values.
type generator struct {
	rand *rand.Rand
	root any // the schema, as json.Decoder decodes it with UseNumber
	// words are strings that mean something to the tool, such as names of files.
	words []string
	nodes int // the values made so far in this document
	work  int // the schemas read so far for this document
}

// newGenerator returns a generator for a schema.
func newGenerator(schema *jsontree.Value, words []string, r *rand.Rand) *generator {
	return &generator{rand: r, root: schema.Tree(nil), words: words}
}

// document returns a value for the whole schema.
func (g *generator) document() any {
	g.nodes, g.work = 0, 0
	return g.value(g.root, 0)
}

// chance reports true once in n times.
func (g *generator) chance(n int) bool { return g.rand.IntN(n) == 0 }

// value returns a value for a schema.
func (g *generator) value(schema any, depth int) any {
	g.nodes++
	if g.work > maxWork {
		return nil // a value that never ends, which the validator refuses
	}
	s := g.flat(schema)
	if constant, ok := s["const"]; ok {
		return constant
	}
	if enum, ok := s["enum"].([]any); ok && len(enum) > 0 {
		return enum[g.rand.IntN(len(enum))]
	}
	if given, _ := s["examples"].([]any); len(given) > 0 && g.chance(4) {
		return given[g.rand.IntN(len(given))]
	}
	if preset, ok := s["default"]; ok && g.chance(8) {
		return preset
	}
	switch g.kind(s, depth) {
	case "object":
		return g.object(s, depth)
	case "array":
		return g.array(s, depth)
	case "string":
		return g.text(s)
	case "integer":
		return g.number(s, true)
	case "number":
		return g.number(s, g.chance(2))
	case "boolean":
		return g.chance(2)
	}
	return nil
}

// kind chooses one of the types that a schema admits.
func (g *generator) kind(s map[string]any, depth int) string {
	var kinds []string
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			kinds = append(kinds, one.(string)) // the schema was compiled
		}
	}
	if len(kinds) == 0 {
		kinds = []string{"string", "integer", "boolean", "null"}
		for _, hint := range [][2]string{{"properties", "object"}, {"required", "object"}, {"items", "array"}, {"pattern", "string"}, {"maxLength", "string"}, {"minimum", "number"}} {
			if _, ok := s[hint[0]]; ok {
				return hint[1]
			}
		}
		if depth < 2 {
			kinds = append(kinds, "number", "array", "object")
		}
	}
	return kinds[g.rand.IntN(len(kinds))]
}

// flat returns a schema without references and alternatives: it follows $ref, joins allOf and
// chooses from anyOf and oneOf.
func (g *generator) flat(schema any) map[string]any {
	given, ok := schema.(map[string]any)
	if !ok {
		return map[string]any{} // true, or false, which has no value
	}
	s := maps.Clone(given)
	if g.work++; g.work > maxWork {
		return s
	}
	if ref, ok := s["$ref"].(string); ok {
		delete(s, "$ref")
		join(s, g.flat(g.at(ref)))
	}
	all, _ := s["allOf"].([]any)
	delete(s, "allOf")
	for _, part := range all {
		join(s, g.flat(part))
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		if branches, _ := s[name].([]any); len(branches) > 0 {
			delete(s, name)
			join(s, g.flat(branches[g.rand.IntN(len(branches))]))
		}
	}
	return s
}

// at returns the schema that a reference within the document leads to.
func (g *generator) at(ref string) any {
	pointer, _ := strings.CutPrefix(ref, "#")
	tokens, ok := jsontree.ParsePointer(pointer)
	if !ok {
		return nil // a reference to a name
	}
	place := g.root
	for _, token := range tokens {
		switch v := place.(type) {
		case map[string]any:
			place = v[token]
		case []any:
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(v) {
				place = v[i]
			}
		}
	}
	return place
}

// join adds the keywords of another schema to s. Properties and required names are united; of other
// keywords that both have, s keeps its own.
func join(s, other map[string]any) {
	for name, value := range other {
		old, both := s[name]
		switch oldMap, isMap := old.(map[string]any); {
		case !both:
			s[name] = value
		case name == "properties" && isMap:
			united := maps.Clone(value.(map[string]any))
			maps.Copy(united, oldMap)
			s[name] = united
		case name == "required":
			s[name] = slices.Concat(old.([]any), value.([]any))
		}
	}
}

func (g *generator) object(s map[string]any, depth int) any {
	made := make(map[string]any)
	properties, _ := s["properties"].(map[string]any)
	required := make(map[string]bool)
	list, _ := s["required"].([]any)
	for _, name := range list {
		required[name.(string)] = true
	}
	rarely := 1 + g.rand.IntN(4) // documents with most of the optional properties, and with few
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if required[name] || depth < maxDepth && g.nodes < maxNodes && g.chance(rarely) {
			made[name] = g.value(properties[name], depth+1)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(required)) {
		if _, ok := made[name]; !ok {
			made[name] = g.value(s["additionalProperties"], depth+1)
		}
	}
	least, _ := count(s, "minProperties", maxNodes)
	open, isSchema := s["additionalProperties"].(map[string]any)
	if more := g.rand.IntN(3); isSchema || s["additionalProperties"] == true || len(properties) == 0 && depth > 0 {
		for i := 0; (i < more || len(made) < least) && g.nodes < maxNodes && depth < maxDepth; i++ {
			made[g.word()+strconv.Itoa(i)] = g.value(open, depth+1)
		}
	}
	return made
}

func (g *generator) array(s map[string]any, depth int) any {
	least, _ := count(s, "minItems", maxWork)
	most, bounded := count(s, "maxItems", maxNodes)
	size := []int{0, 1, 2, 3, 20, least, most}[g.rand.IntN(7)]
	if depth >= maxDepth {
		size = 0
	}
	if size = max(size, least); bounded {
		size = min(size, most)
	}
	made := []any{}
	prefix, _ := s["prefixItems"].([]any)
	for i := 0; i < size && (g.nodes < maxNodes || i < least); i++ {
		switch {
		case i < len(prefix):
			made = append(made, g.value(prefix[i], depth+1))
		case s["items"] == false:
			return made
		default:
			made = append(made, g.value(s["items"], depth+1))
		}
	}
	return made
}

// limit returns the value of a keyword that is a number.
func limit(s map[string]any, name string) (float64, bool) {
	n, ok := s[name].(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// count returns the value of a keyword that is a count, at most most. Without the keyword it is 0.
func count(s map[string]any, name string, most int) (int, bool) {
	f, ok := limit(s, name)
	return int(min(f, float64(most))), ok
}

// number returns a number near the limits of the schema, or one that programs often handle wrongly.
func (g *generator) number(s map[string]any, integer bool) any {
	low, hasLow := limit(s, "minimum")
	high, hasHigh := limit(s, "maximum")
	step, hasStep := limit(s, "multipleOf")
	if above, ok := limit(s, "exclusiveMinimum"); ok {
		low, hasLow = above+cmp.Or(step, 1), true
	}
	if below, ok := limit(s, "exclusiveMaximum"); ok {
		high, hasHigh = below-cmp.Or(step, 1), true
	}
	choices := []float64{0, 1, -1, 2, 3, 7, 10, 255, 256, 1000, 1 << 31, -(1 << 31), 1<<53 - 1, -(1<<53 - 1)}
	if !integer {
		choices = append(choices, 0.5, -0.1, 1e-9, 1e15, math.MaxFloat64)
	}
	if hasLow {
		choices = append(choices, low, low, low+1)
	}
	if hasHigh {
		choices = append(choices, high, high, high-1)
	}
	if hasLow && hasHigh {
		for range 4 {
			choices = append(choices, math.Floor(low+g.rand.Float64()*(high-low)))
		}
	}
	choices = slices.DeleteFunc(choices, func(f float64) bool { return hasLow && f < low || hasHigh && f > high })
	if len(choices) == 0 {
		choices = []float64{low}
	}
	n := choices[g.rand.IntN(len(choices))]
	if hasStep {
		n = math.Trunc(n/step) * step
	}
	n += 0 // not -0
	if integer || n == math.Trunc(n) && math.Abs(n) < 1<<53 {
		return json.Number(strconv.FormatFloat(math.Trunc(n), 'f', -1, 64))
	}
	return json.Number(strconv.FormatFloat(n, 'g', -1, 64))
}

// strange are strings that programs often handle wrongly. A manifest can have each of them, so none
// has a hidden character.
func strange() []string {
	return []string{
		"", " ", "a", "a b", "0", "-1", "1e9", "null", "true", "é", "e\u0301", "漢字", "שלום", "😀", "\U0001F468\U0001F3FD", "\n", "a\nb\n", "\t",
		`"`, "'", `\`, `\n`, "%s%d", "$HOME", "`a`", "<b>&amp;</b>", "{}", "[]", `{"a":1}`, "{a}", "../a", "/", ".", "/etc/passwd", "C:\\a", "-", "--help", "*", "(", "[", "a,b;c", "#", "//", "http://a.example/", "2026-02-30", "٣", "ß", "İ",
	}
}

// samples maps formats of JSON Schema to strings that have them.
func samples() map[string][]string {
	return map[string][]string{
		"date-time": {"2026-01-31T15:04:05Z", "1970-01-01T00:00:00+01:00", "9999-12-31T23:59:59.999Z"},
		"date":      {"2026-01-31", "1970-01-01", "2024-02-29"}, "time": {"15:04:05Z", "00:00:00+01:00"}, "duration": {"P1D", "PT0S"},
		"email": {"a@example.com", "a.b+c@sub.example.com"}, "hostname": {"example.com", "localhost"},
		"uri": {"https://example.com/a?b=c#d", "http://localhost/"}, "uri-reference": {"/a", "b?c=d"},
		"uuid": {"123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000"},
		"ipv4": {"192.0.2.1", "0.0.0.0"}, "ipv6": {"2001:db8::1", "::"}, "regex": {"a+", "^$"}, "json-pointer": {"", "/a/0"},
	}
}

// word returns a string that means something to the tool, or a strange one.
func (g *generator) word() string {
	if len(g.words) > 0 && g.chance(2) {
		return g.words[g.rand.IntN(len(g.words))]
	}
	list := strange()
	return list[g.rand.IntN(len(list))]
}

func (g *generator) text(s map[string]any) string {
	least, _ := count(s, "minLength", longest)
	most, bounded := count(s, "maxLength", longest)
	if !bounded {
		most = max(maxText, least)
	}
	if pattern, ok := s["pattern"].(string); ok {
		if made, ok := g.matching(pattern); ok {
			return made
		}
	}
	if format, _ := s["format"].(string); samples()[format] != nil {
		return samples()[format][g.rand.IntN(len(samples()[format]))]
	}
	made := g.word()
	switch g.rand.IntN(16) {
	case 0: // as long as the schema allows
		if made != "" {
			made = strings.Repeat(made, most/utf8.RuneCountInString(made)+1)
		}
	case 1, 2:
		made = strings.Repeat(made, 1+g.rand.IntN(50))
	case 3, 4, 5:
		made += g.word()
	}
	if short := least - utf8.RuneCountInString(made); short > 0 {
		made += strings.Repeat("a", short)
	}
	if utf8.RuneCountInString(made) > most {
		made = string([]rune(made)[:most])
	}
	return made
}
