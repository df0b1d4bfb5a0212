package jsontree

import "strings"

// ParsePointer splits a JSON pointer (RFC 6901) into its tokens; the empty pointer has none. ok is
// false if the string is not a JSON pointer.
func ParsePointer(pointer string) (tokens []string, ok bool) {
	if pointer != "" && pointer[0] != '/' || strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(pointer), "~") {
		return nil, false
	}
	return SplitPointer(pointer), true
}

// FormatPointer joins tokens to a JSON pointer. It is the inverse of ParsePointer.
func FormatPointer(path []string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteByte('/')
		b.WriteString(EscapeToken(token))
	}
	return b.String()
}

// EscapeToken returns a name as a token of a JSON pointer.
func EscapeToken(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// SplitPointer splits a valid JSON pointer into its tokens.
func SplitPointer(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, token := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return tokens
}
