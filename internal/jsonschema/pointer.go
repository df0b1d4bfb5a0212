package jsonschema

import (
	"net/url"
	"strings"
)

// ParsePointer splits a JSON pointer (RFC 6901) into its tokens, none for the empty one.
// It returns false for a text that is no pointer.
func ParsePointer(pointer string) (tokens []string, ok bool) {
	if pointer != "" && pointer[0] != '/' || strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(pointer), "~") {
		return nil, false
	}
	return pathOf(pointer), true
}

// FormatPointer joins tokens to a JSON pointer. It is the way back from ParsePointer.
func FormatPointer(tokens []string) string { return pointerOf(tokens) }

// pointerOf joins tokens to a JSON pointer.
func pointerOf(path []string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteByte('/')
		b.WriteString(escapeToken(token))
	}
	return b.String()
}

func escapeToken(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// pathOf splits a JSON pointer into tokens.
func pathOf(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, token := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return tokens
}

// baseURL is the made-up address of the schema being compiled. It is
// hierarchical, so that relative references lead elsewhere and are refused.
const baseURL = "schema:///schema"

// pointerInSchema returns the JSON pointer for a location that the library
// gave, unless it lies in another document (a meta-schema).
func pointerInSchema(location string) (string, bool) {
	fragment, ok := strings.CutPrefix(location, baseURL+"#")
	if !ok {
		return "", false
	}
	pointer, err := url.PathUnescape(fragment)
	return pointer, err == nil
}

// locationOf is the inverse of pointerInSchema.
func locationOf(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, token := range tokens {
		tokens[i] = url.PathEscape(token)
	}
	return baseURL + "#" + strings.Join(tokens, "/")
}

// SplitPointer returns the tokens of a JSON pointer (RFC 6901), unescaped; none for "".
func SplitPointer(pointer string) []string { return pathOf(pointer) }

// EscapeToken returns a name as a token of a JSON pointer.
func EscapeToken(name string) string { return escapeToken(name) }
