package bash

import (
	"context"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/interp"
)

// idleLetters are the options of set that the interpreter rejects but that can be ignored. They
// have no effect without job control and history, or are always on.
const idleLetters = "ThmbBHPvkp"

var idleOptions = []string{
	"functrace", "hashall", "monitor", "notify", "braceexpand", "histexpand", "history",
	"physical", "verbose", "posix", "interactive-comments", "emacs", "vi", "privileged", "keyword",
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
			if strings.ContainsRune(idleLetters, r) {
				return -1
			}
			return r
		}, arg[1:])
		if strings.HasSuffix(letters, "o") && i+1 < len(args) {
			i++
			if slices.Contains(idleOptions, args[i]) {
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
