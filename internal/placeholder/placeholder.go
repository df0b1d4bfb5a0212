// Package placeholder fills the values of parameters into texts and arguments that a
// manifest gives.
package placeholder

import (
	"errors"
	"strings"
)

// Template is text with placeholders, each of which stands for the value of a
// parameter: "{name}". "{{" stands for "{" and "}}" for "}". The zero value is
// empty text. A Template is immutable and safe for concurrent use.
type Template struct {
	source string
	// parts alternates: even ones are text, odd ones name parameters.
	parts []string
}

// Parse reads a template. The error names the fault and the fix.
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
			return Template{}, errors.New(`a single "}"; write "}}" for a brace that is meant as text`)
		}
		end := strings.IndexAny(rest, "{}")
		if end < 0 || rest[end] != '}' {
			return Template{}, errors.New(`a "{" without its "}"; write "{{" for a brace that is meant as text`)
		}
		name := rest[:end]
		if strings.TrimSpace(name) == "" {
			return Template{}, errors.New(`"{}" names no parameter; write "{{}}" for braces that are meant as text`)
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

// String returns the template as it was written.
func (t Template) String() string { return t.source }

// Parameters returns the distinct parameters that the template names, in order.
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

// Leading returns the text before the first placeholder, and whether that is all.
func (t Template) Leading() (text string, all bool) {
	if len(t.parts) == 0 {
		return "", true
	}
	return t.parts[0], len(t.parts) == 1
}

// Why a template is not expanded.
var (
	// ErrAbsent: value has no text for one of the parameters.
	ErrAbsent = errors.New("a parameter has no value")
	// ErrTooLong: the text would be longer than allowed.
	ErrTooLong = errors.New("the text is too long")
)

// Expand returns the text with the value of each parameter in its place, of at most
// limit bytes. Values are put in as they are, braces and all. It fails with
// ErrAbsent or ErrTooLong.
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
