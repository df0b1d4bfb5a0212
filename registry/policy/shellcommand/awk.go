package shellcommand

import "strings"

// classifyAwk classifies awk, whose programs can write files and run commands.
func classifyAwk(args []word) verdict {
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case w.option && !w.fixed:
			return ask(mayBeOption)
		case w.text == "-F" || w.text == "-v":
			i++
		case w.text == "--":
		case strings.HasPrefix(w.text, "-F"), strings.HasPrefix(w.text, "-v"):
		case w.option:
			return ask("has the option " + shown(w.text) + ", with which it may do more than read")
		case !w.fixed || !awkReads(w.text):
			return ask("has a program that writes, runs commands, or is not known")
		default:
			return allow("only reads")
		}
	}
	return allow("only reads")
}

// awkReads reports whether an awk program only reads: it has no pipes, no calls of other programs
// or extensions, and no > after a command that prints.
func awkReads(program string) bool {
	plain := strings.ReplaceAll(program, "||", " ")
	if strings.ContainsAny(plain, "|@") || strings.Contains(plain, "system") || strings.Contains(plain, "\\\n") {
		return false
	}
	_, after, prints := strings.Cut(plain, "print")
	return !prints || !strings.Contains(after, ">")
}
