package openapi

import (
	"crypto/sha256"
	"encoding/hex"
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

// secretName makes a name of a secret: "api.example.com" and "bearerAuth" are
// "API_EXAMPLE_COM___BEARER_AUTH". No other server has a secret of that name, or somebody with a
// document for their own would get it: a hyphen is two underscores, since "api-example.com" is
// somebody else, and so the three that no host gives tell where the server ends. One that is
// not of the usual form, or makes too long a name, is told by a hash.
func secretName(server, scheme string) string {
	name := plainServer(server) + "___" + strings.ReplaceAll(toolName(scheme), "-", "__")
	if strings.HasPrefix(name, "_") || len(name) > maxName {
		sum := sha256.Sum256([]byte(server + " " + scheme))
		name = "secret_" + hex.EncodeToString(sum[:16])
	}
	return strings.ToUpper(name)
}

// plainServer is a server as the part of a name, or "" if that could be another's, too.
func plainServer(server string) string {
	for label := range strings.SplitSeq(server, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || label[0] == '-' || label[len(label)-1] == '-' {
			return ""
		}
	}
	name := strings.NewReplacer(".", "_", "-", "__").Replace(server)
	if name[0] <= '9' { // no variable could be called so; and no scheme's part begins like that
		name = "host___" + name
	}
	return name
}

// ToolNames makes a name of a tool of each text, in the grammar of manifests, and each name once.
func ToolNames(texts []string) []string {
	given, list := newNames(), make([]string, len(texts))
	for i, text := range texts {
		list[i] = given.take(toolName(text), maxName)
	}
	return list
}
