package text

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/regex"
)

// Regexp compiles the regular expression of a parameter, as [regex.Compile] does. The error is for
// a model that may have used another syntax.
func Regexp(parameter, expression string) (*regex.Regexp, error) {
	re, err := regex.Compile(expression)
	if errors.Is(err, regex.ErrManyLetters) {
		return nil, fmt.Errorf("the argument %q: %w", parameter, err)
	}
	if err != nil {
		return nil, fmt.Errorf("the argument %q is not a valid RE2 regular expression (RE2 has no lookaround and no backreferences): %.300s",
			parameter, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re, nil
}
