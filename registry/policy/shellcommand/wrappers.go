package shellcommand

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/registry/policy"
)

// wrapper is a command that runs another command.
type wrapper struct {
	// flags are the wrapper's options without a value. valued are its options whose value is the
	// next word. Both list letters, and long names with their dashes. Any other option needs
	// approval.
	flags, valued         string
	longFlags, longValued []string
	// operands is the number of words of the wrapper itself before the command.
	operands int
	// variables says that NAME=VALUE may precede the command.
	variables bool
}

var wrappers = map[string]wrapper{
	"env":     {flags: "i0v", valued: "uC", longFlags: []string{"--ignore-environment", "--null", "--debug"}, longValued: []string{"--unset", "--chdir"}, variables: true},
	"timeout": {flags: "fpv", valued: "ks", longFlags: []string{"--foreground", "--preserve-status", "--verbose"}, longValued: []string{"--kill-after", "--signal"}, operands: 1},
	"nice":    {flags: "0123456789", valued: "n", longValued: []string{"--adjustment"}},
	"ionice":  {flags: "t", valued: "cn"},
	"nohup":   {},
	"setsid":  {flags: "cfw"},
	"stdbuf":  {valued: "ioe", longValued: []string{"--input", "--output", "--error"}},
	"time":    {flags: "p"},
	"command": {flags: "p"},
	"builtin": {},
	"exec":    {flags: "cl", valued: "a"},
	"busybox": {},
	"toybox":  {},
	"xargs": {
		flags: "0rtx", valued: "nPLIdaEs", longFlags: []string{"--null", "--no-run-if-empty", "--verbose", "--exit"},
		longValued: []string{"--max-args", "--max-procs", "--max-lines", "--replace", "--delimiter", "--arg-file", "--max-chars"},
	},
	"watch": {flags: "dtgbecx", valued: "n", longFlags: []string{"--differences", "--no-title", "--exec"}, longValued: []string{"--interval"}},
}

// runners run commands in special ways. They need approval, and all of their arguments are searched
// for commands that must not run.
var runners = []string{
	"parallel", "strace", "ltrace", "flock", "script", "entr", "unbuffer", "rlwrap", "systemd-run", "numactl", "taskset", "chrt",
	"faketime", "ssh", "docker", "podman", "make", "npx", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "trap", "alias", "fakeroot", "proot",
}

// shells are the programs whose scripts this package can classify.
var shells = []string{"sh", "bash", "dash", "ash", "rbash"}

// classifyWrapper classifies a command that runs another command. It returns false if name is not
// such a command.
func classifyWrapper(name string, args []word) (verdict, []inner, bool) {
	switch {
	case name == "eval":
		if len(args) > 0 && args[0].fixed && args[0].text == "--" {
			args = args[1:]
		}
		j, inside := evaluated(args)
		return j, inside, true
	case slices.Contains(shells, name):
		j, inside := classifyShell(args)
		return j, inside, true
	case slices.Contains(runners, name):
		for i := range args {
			if forbidden(args[i:]) != "" {
				return deny("runs a command that is never allowed"), nil, true
			}
		}
		return ask(cmp.Or(dangers[name], "runs commands in an unknown way")), hints(args), true
	}
	w, ok := wrappers[name]
	if !ok {
		return verdict{}, nil, false
	}
	if name == "command" && len(args) > 0 && args[0].fixed && (args[0].text == "-v" || args[0].text == "-V") {
		return allow("only reads"), nil, true
	}
	j, rest, replace := w.split(args)
	switch {
	case len(rest) == 0:
		return j, hints(args), true
	case name == "xargs":
		rest = withInput(rest, replace)
	case name == "watch":
		own, inside := evaluated(rest)
		if own.effect < j.effect {
			j = own
		}
		return j, inside, true
	}
	inside := []inner{{words: rest}}
	if j.effect != policy.Allow { // an option may use the next word as a script
		inside = append(inside, hints(args)...)
	}
	return j, inside, true
}

// split separates the words of a wrapper from the words of its command. replace is the text that
// xargs replaces with its input, or "".
func (o wrapper) split(args []word) (j verdict, rest []word, replace string) {
	j = allow("runs a command")
	operands := o.operands
	for ended := false; len(args) > 0; args = args[1:] {
		w := args[0]
		set, isSet := assignment(w)
		switch {
		case w.fixed && w.text == "--" && !ended:
			ended = true
		case w.option && w.text != "-" && !ended:
			var why, value string
			if why, value, args = o.option(args); why != "" {
				j = ask(why)
			}
			if o.variables && unsets(w.text, args[0].text) { // env -u PATH
				j = ask(steersWhy)
			}
			if value != "" {
				replace = value
			}
		case o.variables && (isSet || w.text == "-"):
			if steers(set) {
				j = ask(steersWhy)
			}
		case operands > 0:
			operands--
		default:
			return j, args, replace
		}
	}
	return j, nil, replace
}

// unsets reports whether an option of env removes a variable that decides what runs. value is the
// word after the option, which may be the name of the variable.
func unsets(option, value string) bool {
	_, joined, _ := strings.Cut(option, "u") // the NAME of -uNAME, and of -iuNAME
	return steers(joined) || steers(strings.TrimPrefix(option, "--unset=")) || steers(value)
}

// option parses the option at the start of args. It returns three values: the reason why the option
// needs approval, or ""; the text that xargs should replace; and args from the last word of the
// option on.
func (o wrapper) option(args []word) (why, replace string, last []word) {
	w := args[0]
	name, value, joined := strings.Cut(w.text, "=")
	takes, replaces := slices.Contains(o.longValued, name), name == "--replace"
	known := takes && (!joined || value != "") || slices.Contains(o.longFlags, name)
	if !strings.HasPrefix(name, "--") && w.fixed {
		var letter rune
		known, letter, value = o.letters(w.text[1:])
		takes, replaces = letter != 0, letter == 'I'
	}
	switch {
	case !w.fixed:
		return mayBeOption, "", args
	case !known:
		return "has the unknown option " + shown(w.text), "", args
	}
	if takes && value == "" && len(args) > 1 {
		value, args = args[1].text, args[1:]
	}
	if replaces {
		replace = value
	}
	return "", replace, args
}

// letters parses a word of short options. The result known says whether all letters are known
// options. The result takes is the letter that has a value, or 0. The result value is that value if
// it is in the same word.
func (o wrapper) letters(word string) (known bool, takes rune, value string) {
	for i, letter := range word {
		switch {
		case strings.ContainsRune(o.valued, letter):
			return true, letter, word[i+1:]
		case !strings.ContainsRune(o.flags, letter):
			return false, 0, ""
		}
	}
	return true, 0, ""
}

// withInput returns the command that xargs builds from words: with the input of xargs at the end,
// or in place of each occurrence of replace.
func withInput(words []word, replace string) []word {
	words = slices.Clone(words)
	if replace == "" {
		return append(words, unknownWord())
	}
	for i, w := range words {
		if strings.Contains(w.text, replace) {
			words[i].fixed = false
			words[i].option = w.option || strings.HasPrefix(w.text, replace)
		}
	}
	return words
}

// evaluated classifies a command, such as eval, that joins its arguments to a script and runs it.
func evaluated(args []word) (verdict, []inner) {
	if slices.ContainsFunc(args, func(w word) bool { return !w.fixed }) {
		return ask("runs text that is only known when it runs"), []inner{{script: join(args), hint: true}}
	}
	return allow("runs a script"), []inner{{script: join(args)}}
}

// hints returns the words that may be scripts, to search them for denied commands.
func hints(args []word) []inner {
	var all []inner
	for _, w := range args {
		if strings.ContainsAny(w.text, " ;&|\n") {
			all = append(all, inner{script: w.text, hint: true})
		}
	}
	return all
}

// classifyShell classifies a call of a shell.
func classifyShell(args []word) (verdict, []inner) {
	j, script := allow("runs a script"), false
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case w.option && !w.fixed:
			j = ask(mayBeOption)
		case w.text == "--", w.text == "--norc", w.text == "--noprofile", w.text == "--posix":
			continue
		case w.option && strings.Trim(w.text[1:], "ceuxfvno") == "":
			script = script || strings.Contains(w.text, "c")
			if strings.HasSuffix(w.text, "o") && i+1 < len(args) {
				i++
				if args[i].text != "pipefail" {
					j = ask("changes how the shell works")
				}
			}
			continue
		case w.option:
			script = script || !strings.HasPrefix(w.text, "--") && strings.Contains(w.text, "c")
			j = ask("has the option " + shown(w.text) + ", with which it does more than run a script")
			continue
		}
		if !script {
			return ask("runs an unknown script"), hints(args)
		}
		if !w.fixed {
			return ask("runs text that is only known when it runs"), []inner{{script: w.text, hint: true}}
		}
		return j, []inner{{script: w.text}}
	}
	return ask("runs the commands that it reads as input"), nil
}
