package bash

import (
	"context"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// idleLetters are the options of set that the interpreter rejects but that can be ignored. They
// have no effect without job control and history, or are always on.
const idleLetters = "ThmbHPvp"

var idleOptions = []string{
	"functrace", "hashall", "monitor", "notify", "histexpand", "history",
	"physical", "verbose", "posix", "interactive-comments", "emacs", "vi", "privileged",
}

// idleShopt are options of shopt that can be ignored: they are for interactive shells or always on,
// and the interpreter would reject them.
var idleShopt = []string{
	"autocd", "cdspell", "checkhash", "checkjobs", "checkwinsize", "cmdhist", "complete_fullquote", "direxpand",
	"dirspell", "extquote", "force_fignore", "gnu_errfmt", "histappend", "histreedit", "histverify", "hostcomplete",
	"huponexit", "interactive_comments", "lithist", "mailwarn", "no_empty_cmd_completion", "progcomp", "promptvars",
	"shift_verbose", "sourcepath", "assoc_expand_once", "globasciiranges", "globskipdots", "progcomp_alias",
}

// missingShopt are the options of bash that would change what a script does, and that the shell
// lacks.
var missingShopt = []string{
	"cdable_vars", "compat31", "compat32", "compat40", "compat41", "compat42", "compat43", "compat44", "execfail",
	"extdebug", "localvar_inherit", "localvar_unset", "varredir_close", "xpg_echo",
}

// shopt sets options of the shell.
func shopt(ctx context.Context, hc interp.HandlerContext, args []string) error {
	if len(args) < 3 || args[1] != "-s" && args[1] != "-u" {
		return hc.Builtin(ctx, args)
	}
	kept := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return slices.Contains(idleShopt, arg) })
	if len(kept) == 2 {
		return nil
	}
	return hc.Builtin(ctx, kept)
}

// options rejects options that the shell lacks.
func (p *preparation) options(call *syntax.CallExpr) {
	var args []string
	for _, word := range call.Args {
		args = append(args, word.Lit()) // "" for a word with an expansion
	}
	switch {
	case len(args) < 2:
	case args[0] == "shopt" && args[1] == "-s":
		for _, name := range args[2:] {
			if slices.Contains(missingShopt, name) {
				p.refuse(call, "shopt -s %s is not supported; write the script without it", name)
			}
		}
	case args[0] == "set":
		for i, arg := range args[1:] {
			if len(arg) < 2 || arg == "--" || arg[0] != '-' && arg[0] != '+' {
				break
			}
			if letter := strings.IndexAny(arg, "kt"); letter > 0 {
				p.refuse(call, "set -%c is not supported; write the script without it", arg[letter])
			}
			name := ""
			if strings.HasSuffix(arg, "o") && i+2 < len(args) {
				name = args[i+2]
			}
			if name == "keyword" || name == "onecmd" {
				p.refuse(call, "set -o %s is not supported; write the script without it", name)
			}
			if arg[0] == '+' && (strings.Contains(arg, "B") || name == "braceexpand") {
				p.refuse(call, "braces are always expanded; quote those that should stay")
			}
		}
	}
}

// set sets shell options and positional parameters.
func set(ctx context.Context, hc interp.HandlerContext, args []string) error {
	kept := withoutIdle(args[1:])
	if len(args) > 1 && len(kept) == 0 {
		return nil // ignore set without arguments, which would list all variables
	}
	return hc.Builtin(ctx, append([]string{"set"}, kept...))
}

// withoutIdle returns the arguments of set without the options in idleLetters.
func withoutIdle(args []string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if len(arg) < 2 || arg == "--" || arg[0] != '-' && arg[0] != '+' {
			return append(kept, args[i:]...)
		}
		letters := strings.Map(func(r rune) rune {
			if strings.ContainsRune(idleLetters, r) || r == 'B' && arg[0] == '-' {
				return -1
			}
			return r
		}, arg[1:])
		if strings.HasSuffix(letters, "o") && i+1 < len(args) {
			i++
			if slices.Contains(idleOptions, args[i]) || args[i] == "braceexpand" && arg[0] == '-' {
				letters = strings.TrimSuffix(letters, "o")
			} else {
				kept = append(kept, arg[:1]+letters, args[i])
				continue
			}
		}
		if letters != "" {
			kept = append(kept, arg[:1]+letters)
		}
	}
	return kept
}

// trap sets handlers for EXIT and ERR. It ignores handlers for signals, because the sandbox has no
// signals.
func (s *shell) trap(ctx context.Context, hc interp.HandlerContext, args []string) error {
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	if len(rest) == 0 || rest[0] == "-p" {
		return hc.Builtin(ctx, []string{"trap"})
	}
	if rest[0] == "-l" {
		return fail(hc, "trap", "there are no signals in this shell; only EXIT and ERR can be trapped")
	}
	action, signals := rest[0], rest[1:]
	if len(rest) == 1 {
		action, signals = "-", rest
	}
	action, err := s.prepared(action, "trap")
	if err != nil {
		return fail(hc, "trap", "%v", err)
	}
	for _, signal := range signals {
		name := strings.TrimPrefix(strings.ToUpper(signal), "SIG")
		switch name {
		case "0", "EXIT":
			name = "EXIT"
		case "ERR":
		case "DEBUG", "RETURN":
			return fail(hc, "trap", "%s is not supported; use EXIT or ERR", signal)
		case "HUP", "INT", "QUIT", "TERM", "PIPE", "ALRM", "USR1", "USR2", "CHLD", "TSTP", "WINCH", "CONT", "ABRT", "STOP", "KILL",
			"1", "2", "3", "6", "9", "13", "14", "15":
			continue
		default:
			return fail(hc, "trap", "%s: invalid signal specification", signal)
		}
		if err := hc.Builtin(ctx, []string{"trap", "--", action, name}); err != nil {
			return err
		}
	}
	return nil
}
