package skill

import (
	"strings"
	"unicode"
)

// byLines reads the name and the description from front matter that is not YAML. Authors often
// write a description with ": " and without quotes, which YAML does not allow. A value is the rest
// of the line after the key, and the indented lines that follow it.
func byLines(front string) (name, description string) {
	values := map[string][]string{}
	key := ""
	for line := range strings.Lines(front) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			if key != "" {
				values[key] = append(values[key], strings.TrimSpace(line))
			}
			continue
		}
		var value string
		key, value, _ = strings.Cut(line, ":")
		if _, repeated := values[key]; repeated || key != "name" && key != "description" {
			key = ""
			continue
		}
		values[key] = []string{strings.TrimSpace(value)}
	}
	return unquoted(strings.Join(values["name"], " ")), unquoted(strings.Join(values["description"], " "))
}

// unquoted removes the quotes around a value, or the mark of a block of text before it. It returns
// "" for a value without letters and digits, such as a bracket alone.
func unquoted(value string) string {
	for _, mark := range []string{"|-", "|+", "|", ">-", ">+", ">"} {
		if text, found := strings.CutPrefix(value, mark+" "); found {
			value = text
			break
		}
	}
	value = strings.TrimSpace(value)
	if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		value = value[1 : n-1]
	}
	if !strings.ContainsFunc(value, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return value
}
