package stricttoml

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/suggest"
)

// Choice returns the key k for a string of an enumeration, which is stored in target. The values
// are written as package fmt prints them.
func Choice[T any](c *Checker, k Key, target *T, choices ...T) Key {
	k.Want, k.Choices = WantString, words(choices)
	k.Read = ReadString(c, target, func(text string) (T, error) { return ParseChoice(text, choices...) })
	return k
}

func words[T any](choices []T) []string {
	return each.Of(choices, func(choice T) string { return fmt.Sprint(choice) })
}

// ParseChoice reads one value of an enumeration, which is written as package fmt prints it.
func ParseChoice[T any](text string, choices ...T) (T, error) {
	words, quoted := words(choices), make([]string, len(choices))
	for i, choice := range choices {
		if words[i] == text {
			return choice, nil
		}
		quoted[i] = strconv.Quote(words[i])
	}
	fix := "write " + strings.Join(quoted, " or ")
	if near := suggest.Nearest(text, words); near != "" {
		fix = fmt.Sprintf("did you mean %q?", near)
	}
	return *new(T), fmt.Errorf("%s is not a valid value; %s", Quote(text), fix)
}
