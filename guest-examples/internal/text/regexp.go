package text

import (
	"fmt"
	"regexp"
	"strings"
)

// Regexp compiles the regular expression that a parameter has. The error is
// written for a model that may know another syntax.
func Regexp(parameter, expression string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("%s is no regular expression of RE2, which has no look-around and no back-references: %.300s",
			parameter, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re, nil
}
