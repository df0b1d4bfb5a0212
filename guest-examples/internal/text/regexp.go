package text

import (
	"fmt"
	"regexp"
	"strings"
)

// Regexp compiles the regular expression of a parameter. The error is for a model that may have
// used another syntax.
func Regexp(parameter, expression string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("the argument %q is not a valid RE2 regular expression (RE2 has no lookaround and no backreferences): %.300s",
			parameter, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re, nil
}
