package shellcommand

import (
	"slices"
	"strings"
)

// findRuns are the actions of find that run a command. findWrites are the actions that write or
// remove files.
var (
	findRuns   = []string{"-exec", "-execdir", "-ok", "-okdir"}
	findWrites = []string{"-delete", "-fprint", "-fprint0", "-fprintf", "-fls"}
)

// classifyFind classifies a search, and the commands that it runs on the files it finds.
func classifyFind(args []word) (verdict, []inner) {
	j := allow("only reads")
	var inside []inner
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case !w.fixed && w.option && !valueOfFind(args, i):
			j = ask(mayBeOption)
		case slices.Contains(findWrites, w.text):
			j = ask("removes or writes files with " + w.text)
		case slices.Contains(findRuns, w.text):
			end := i + 1
			for end < len(args) && args[end].text != ";" && (args[end].text != "+" || args[end-1].text != "{}") {
				end++
			}
			if command := args[i+1 : end]; len(command) > 0 {
				inside = append(inside, inner{words: foundIn(command)})
				if endsEarly(command) {
					j = ask("has an argument that is only known when it runs and could end the command of -exec")
				}
			}
			i = end
		}
	}
	return j, inside
}

// valueOfFind reports whether the word is the value of a preceding test, and so is not a test
// itself.
func valueOfFind(args []word, i int) bool {
	tests := []string{"-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-newer", "-mtime", "-mmin", "-size", "-type", "-maxdepth", "-mindepth", "-user", "-perm"}
	return i > 0 && args[i-1].fixed && slices.Contains(tests, args[i-1].text) && !args[i].several
}

// endsEarly reports whether a word of a command may end the command. The words after it would then
// be arguments of find, not of the command.
func endsEarly(command []word) bool {
	doubt := false
	for _, w := range command {
		if doubt && w.option || w.several {
			return true
		}
		doubt = doubt || !w.fixed
	}
	return false
}

// foundIn returns a command that find runs, and marks the words with {} as unknown. These words are
// never options, because the paths that find inserts start with the searched directory.
func foundIn(command []word) []word {
	words := slices.Clone(command)
	for i, w := range words {
		if strings.Contains(w.text, "{}") {
			words[i].fixed = false
		}
	}
	return words
}
