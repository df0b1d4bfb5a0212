package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// prose escapes the text of a manifest for Markdown. For example, the asterisks of a glob pattern
// must not become emphasis. Code between backquotes stays unchanged.
func prose(text string) string {
	parts := strings.Split(strings.TrimSpace(text), "`")
	for i := 0; i < len(parts); i += 2 { // parts with an odd index are code
		parts[i] = strings.NewReplacer("*", `\*`, "<", `\<`).Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

// cell puts Markdown on one line and escapes its vertical bars, so that it fits into a table cell.
func cell(text string) string {
	// In a table, a bar without a backslash ends the cell, even within code.
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

// codes returns a list of strings, each formatted as code.
func codes(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return "`" + strings.Join(texts, "`, `") + "`"
}

// fenced returns a fenced block. Its fence is longer than any fence in the text.
func fenced(info, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return "\n" + fence + info + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence + "\n"
}

// upper capitalizes the first letter.
func upper(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
