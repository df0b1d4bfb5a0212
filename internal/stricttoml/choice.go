package stricttoml

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/suggest"
)

// ParseChoice reads one of the words of an enumeration.
func ParseChoice[T any](text string, values map[string]T, words ...string) (T, error) {
	value, ok := values[text]
	if !ok {
		return value, fmt.Errorf("%s is not known here; %s", Quote(text), oneOf(text, words))
	}
	return value, nil
}

// oneOf ends an error about a word that is none of the words known.
func oneOf(word string, words []string) string {
	if near := suggest.Nearest(word, words); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	return "write " + strings.Join(quoted, " or ")
}
