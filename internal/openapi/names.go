package openapi

import (
	"strconv"
	"strings"
	"unicode"
)

// names hands out names, each once.
type names struct {
	taken map[string]bool
	// last is the number that a name got last, so that many equal ones cost no more than few.
	last map[string]int
}

// newNames returns names of which some are taken.
func newNames(taken ...string) names {
	n := names{make(map[string]bool), make(map[string]int)}
	for _, name := range taken {
		n.taken[name] = true
	}
	return n
}

// take returns the name, numbered when it is taken, of at most limit bytes.
func (n names) take(name string, limit int) string {
	for i := n.last[name] + 1; ; i++ {
		suffix := ""
		if i > 1 {
			suffix = "_" + strconv.Itoa(i)
		}
		candidate := strings.TrimRight(name[:min(len(name), limit-len(suffix))], "_-") + suffix
		if !n.taken[candidate] {
			n.taken[candidate], n.last[name] = true, i
			return candidate
		}
	}
}

// maxName is the longest name of a tool or argument.
const maxName = 64

// toolName makes a name of a tool of any text: "listPets" is "list_pets".
func toolName(text string) string {
	var b strings.Builder
	var before rune
	for _, r := range text {
		upper := 'A' <= r && r <= 'Z'
		switch {
		case upper && ('a' <= before && before <= 'z' || '0' <= before && before <= '9'):
			b.WriteByte('_')
			fallthrough
		case upper:
			b.WriteRune(unicode.ToLower(r))
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-':
			b.WriteRune(r)
		case b.Len() > 0 && before != '_' && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
		before = r
	}
	name := strings.Trim(b.String(), "_-")
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		name = "call_" + name
	}
	return name
}

// plainName reports whether every provider of models takes a name of an argument.
func plainName(text string) bool {
	return text != "" && len(text) <= maxName && strings.Trim(text, nameCharacters) == ""
}

const nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

// argumentName makes a name of an argument of any text: "filter[name]" is "filter_name".
func argumentName(text string) string {
	if plainName(text) {
		return text
	}
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(nameCharacters, r) {
			return r
		}
		return ' '
	}, text)
	if name = strings.Join(strings.Fields(name), "_"); name == "" {
		return "value"
	}
	return name
}

// secretName makes a name of a secret of texts: "api.example.com" and "bearerAuth" are
// "API_EXAMPLE_COM_BEARER_AUTH". A hyphen is two underscores, since "api-example.com" is
// somebody else.
func secretName(texts ...string) string {
	name := strings.ToUpper(toolName(strings.Join(texts, " ")))
	return strings.ReplaceAll(name, "-", "__")
}

// ToolNames makes a name of a tool of each text, in the grammar of manifests, and each name once.
func ToolNames(texts []string) []string {
	given, list := newNames(), make([]string, len(texts))
	for i, text := range texts {
		list[i] = given.take(toolName(text), maxName)
	}
	return list
}
