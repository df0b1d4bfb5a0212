package stricttoml

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/suggest"
)

// ParseChoice reads one value of an enumeration, which is written as package fmt prints it.
func ParseChoice[T any](text string, choices ...T) (T, error) {
	words, quoted := make([]string, len(choices)), make([]string, len(choices))
	for i, choice := range choices {
		if words[i] = fmt.Sprint(choice); words[i] == text {
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
