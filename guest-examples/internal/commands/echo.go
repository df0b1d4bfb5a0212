package commands

import "strings"

// The shell has these built in; the table needs them for xargs, find -exec and
// env.

var echo = spec{name: "echo", synopsis: "[-neE] [STRING]...", options: rawArguments, run: runEcho}

func runEcho(p *process, _ options, words []string) int {
	newline, escapes := true, false
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' && strings.Trim(words[0][1:], "neE") == "" {
		for _, c := range words[0][1:] {
			switch c {
			case 'n':
				newline = false
			case 'e':
				escapes = true
			case 'E':
				escapes = false
			}
		}
		words = words[1:]
	}
	text := strings.Join(words, " ")
	if escapes {
		var stop bool
		if text, stop = expandEscapes(text); stop {
			newline = false
		}
	}
	if p.print(text); newline {
		p.print("\n")
	}
	return 0
}

// expandEscapes expands \n and its kin as echo -e does; stop reports a \c.
func expandEscapes(text string) (expanded string, stop bool) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out.WriteByte(text[i])
			continue
		}
		if text[i+1] == 'c' {
			return out.String(), true
		}
		s, n := printfEscape(text[i:])
		out.WriteString(s)
		i += n - 1
	}
	return out.String(), false
}

// printfEscape reads the escape that text begins with, and returns its length. One
// that is none stays as it is.
func printfEscape(text string) (string, int) {
	if i := strings.IndexByte(`abfnrtv\"'e`, text[1]); i >= 0 {
		return "\a\b\f\n\r\t\v\\\"'\x1b"[i : i+1], 2
	}
	if text[1] == 'x' {
		if b, n := numericEscape(text[1:min(len(text), 4)]); n > 0 {
			return string([]byte{b}), 1 + n
		}
		return text[:2], 2
	}
	// \NNN, or \0NNN as echo has it.
	start := 1
	if text[1] == '0' {
		start = 2
	}
	end, value := start, 0
	for end < len(text) && end < start+3 && text[end] >= '0' && text[end] <= '7' {
		value = value*8 + int(text[end]-'0')
		end++
	}
	if end == 1 {
		return text[:2], 2
	}
	return string([]byte{byte(value)}), end
}

var truth = spec{name: "true", options: rawArguments, run: func(*process, options, []string) int { return 0 }}

var falsehood = spec{name: "false", options: rawArguments, run: func(*process, options, []string) int { return 1 }}
