package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// prose writes somebody's words so that nothing in them is taken for a mark of Markdown,
// such as the stars of patterns. Code stays what it is.
func prose(text string) string {
	parts := strings.Split(strings.TrimSpace(text), "`")
	for i := 0; i < len(parts); i += 2 { // the others are code
		parts[i] = strings.NewReplacer("*", `\*`, "<", `\<`).Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

// cell makes Markdown fit for one cell of a table.
func cell(text string) string {
	// In a table a bar ends a cell even within code, unless there is a backslash before it.
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

// codes lists texts as code.
func codes(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return "`" + strings.Join(texts, "`, `") + "`"
}

// fenced is a block of text as it stands, within fences that it does not end.
func fenced(info, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return "\n" + fence + info + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence + "\n"
}

// upper makes the first letter a capital.
func upper(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
