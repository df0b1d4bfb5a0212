package policy

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
)

// Problem is something wrong in a Config.
type Problem struct {
	// Field is where in the Config, such as "deny[1]" or "rules[0].arguments./path".
	Field string `json:"field"`
	// Message says what is wrong and how to put it right.
	Message string `json:"message"`
	// Source is the place in a file as the Config gave it; may be empty.
	Source string `json:"source,omitempty"`
	// Warning tells that the policy can be used nevertheless.
	Warning bool `json:"warning,omitempty"`
	// Unknown is the name that no tool has which is known, where the problem is that. It
	// holds for tools of that name all the same.
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

// ConfigError is what Compile returns for a Config that cannot be used.
type ConfigError struct {
	// Problems is all that is wrong, at least one, warnings left out.
	Problems []Problem
}

// Error lists the problems, separated by semicolons.
func (e *ConfigError) Error() string {
	return "the policy cannot be used: " + strings.Join(each.Of(e.Problems, Problem.String), "; ")
}

// place is a field of a Config with where it was written.
type place struct{ field, source string }

func (p place) at(format string, args ...any) place {
	return place{p.field + fmt.Sprintf(format, args...), p.source}
}

// problems gathers what is wrong.
type problems struct{ faults, warnings []Problem }

func (p *problems) add(at place, format string, args ...any) {
	p.faults = append(p.faults, Problem{Field: at.field, Source: at.source, Message: fmt.Sprintf(format, args...)})
}

func (p *problems) warn(at place, format string, args ...any) {
	p.warnings = append(p.warnings, Problem{Field: at.field, Source: at.source, Message: fmt.Sprintf(format, args...), Warning: true})
}

// unknown warns of a name that no tool has; near says which one may be meant.
func (p *problems) unknown(at place, name, near string) {
	p.warn(at, "no tool %q is loaded%s", name, near)
	p.warnings[len(p.warnings)-1].Unknown = name
}
