package printf

import "strings"

// Echo returns what echo prints for args. Options may be combined, as in -ne.
func Echo(args []string) string {
	newline, escaped := true, false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		for _, letter := range args[0][1:] {
			switch letter {
			case 'n':
				newline = false
			case 'e':
				escaped = true
			case 'E':
				escaped = false
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escaped {
		var stop bool
		if text, stop = Unescape(text, true); stop {
			newline = false
		}
	}
	if newline {
		text += "\n"
	}
	return text
}
