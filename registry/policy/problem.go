package policy

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
)

// Problem is an error or warning about a Config.
type Problem struct {
	// Field is the place in the Config, such as "deny[1]" or "rules[0].arguments./path".
	Field string `json:"field"`
	// Message says what is wrong and how to fix it.
	Message string `json:"message"`
	// Source is the place in a file as given in the Config; may be empty.
	Source string `json:"source,omitempty"`
	// Warning says that the policy can be used despite the problem.
	Warning bool `json:"warning,omitempty"`
	// Unknown is the name of a tool or parameter that no known tool has, if that is the problem;
	// otherwise empty. The entry still applies to a tool that is added later.
	Unknown string `json:"unknown,omitempty"`
}

// String returns the problem on one line.
func (p Problem) String() string {
	text := p.Field + ": " + p.Message
	if p.Source != "" {
		text = p.Source + ": " + text
	}
	return text
}

// ConfigError is the error of Compile for an invalid Config.
type ConfigError struct {
	// Problems lists all errors, at least one, without warnings.
	Problems []Problem
}

// Error lists the problems, separated by semicolons.
func (e *ConfigError) Error() string {
	return "the policy cannot be used: " + strings.Join(each.Of(e.Problems, Problem.String), "; ")
}

// place is a field of a Config and where it was written.
type place struct{ field, source string }

func (p place) at(format string, args ...any) place {
	return place{p.field + fmt.Sprintf(format, args...), p.source}
}

// problems collects errors and warnings.
type problems struct{ errors, warnings []Problem }

func (p *problems) add(at place, format string, args ...any) {
	p.errors = append(p.errors, Problem{Field: at.field, Source: at.source, Message: fmt.Sprintf(format, args...)})
}

func (p *problems) warn(at place, format string, args ...any) {
	p.warnings = append(p.warnings, Problem{Field: at.field, Source: at.source, Message: fmt.Sprintf(format, args...), Warning: true})
}

// unknown warns of a name that no tool has; near suggests the intended one.
func (p *problems) unknown(at place, name, near string) {
	p.warn(at, "no tool %q is loaded%s", name, near)
	p.warnings[len(p.warnings)-1].Unknown = name
}

// unknownParameter warns of the name of a parameter that none of the tools of a rule has. hint
// suggests a parameter of the first of these tools.
func (p *problems) unknownParameter(at place, name string, tools []string, hint string) {
	switch len(tools) {
	case 0:
		return
	case 1:
		p.warn(at, "%s has no parameter %q%s", tools[0], name, hint)
	default:
		p.warn(at, "none of the tools, such as %s, has a parameter %q%s", tools[0], name, hint)
	}
	p.warnings[len(p.warnings)-1].Unknown = name
}
