// Package placeholder fills the values of parameters into the templates of a manifest.
package placeholder

import (
	"errors"
	"strings"
)

// Template is a string with placeholders: "{name}" stands for the value of the parameter name, "{{"
// for "{", and "}}" for "}". The zero value is the empty string. A Template is immutable and safe
// for concurrent use.
type Template struct {
	source string
	// parts alternates between literal text (even indices) and parameter names (odd indices).
	parts []string
}

// Parse parses a template. The error says what is wrong and how to fix it.
func Parse(source string) (Template, error) {
	var parts []string
	var text strings.Builder
	for rest := source; rest != ""; {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			text.WriteString(rest)
			break
		}
		text.WriteString(rest[:i])
		brace := rest[i]
		rest = rest[i+1:]
		if strings.HasPrefix(rest, string(brace)) {
			text.WriteByte(brace)
			rest = rest[1:]
			continue
		}
		if brace == '}' {
			return Template{}, errors.New(`a single "}"; write "}}" for a literal brace`)
		}
		end := strings.IndexAny(rest, "{}")
		if end < 0 || rest[end] != '}' {
			return Template{}, errors.New(`a "{" without its "}"; write "{{" for a literal brace`)
		}
		name := rest[:end]
		if strings.TrimSpace(name) == "" {
			return Template{}, errors.New(`"{}" names no parameter; write "{{}}" for literal braces`)
		}
		parts = append(parts, text.String(), name)
		text.Reset()
		rest = rest[end+1:]
	}
	if text.Len() > 0 {
		parts = append(parts, text.String())
	}
	return Template{source: source, parts: parts}, nil
}

// String returns the source of the template.
func (t Template) String() string { return t.source }

// Parameters returns the parameters that the template names, in order and without duplicates.
func (t Template) Parameters() []string {
	var names []string
	seen := make(map[string]bool)
	for i := 1; i < len(t.parts); i += 2 {
		if name := t.parts[i]; !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// Leading returns the text before the first placeholder. all is true if there is no placeholder.
func (t Template) Leading() (text string, all bool) {
	if len(t.parts) == 0 {
		return "", true
	}
	return t.parts[0], len(t.parts) == 1
}

// The errors of [Template.Expand].
var (
	// ErrAbsent means that a parameter has no value.
	ErrAbsent = errors.New("a parameter has no value")
	// ErrTooLong means that the result would be longer than the limit.
	ErrTooLong = errors.New("the text is too long")
)

// Expand replaces each placeholder with the value of its parameter. Braces in values are not
// interpreted. The error is ErrAbsent if value returns false, or ErrTooLong if the result would
// have more than limit bytes.
func (t Template) Expand(limit int, value func(parameter string) (text string, ok bool)) (string, error) {
	var b strings.Builder
	for i, part := range t.parts {
		text, ok := part, true
		if i%2 == 1 {
			text, ok = value(part)
		}
		switch {
		case !ok:
			return "", ErrAbsent
		case len(text) > limit-b.Len():
			return "", ErrTooLong
		}
		b.WriteString(text)
	}
	return b.String(), nil
}
