package bash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// commandBuiltin implements the shell builtin "command". With -v or -V it describes a name;
// otherwise it runs a command and ignores functions of the same name.
func (s *shell) commandBuiltin(ctx context.Context, hc interp.HandlerContext, args []string) error {
	rest := args[1:]
	for len(rest) > 0 && len(rest[0]) > 1 && rest[0][0] == '-' {
		option := rest[0]
		rest = rest[1:]
		switch option {
		case "-v":
			return s.describe(ctx, hc, rest, "command", []string{"command", "-v"}, func(_, path string) string { return path })
		case "-V":
			return s.typeBuiltin(ctx, hc, append([]string{"type"}, rest...))
		case "-p":
			continue
		case "--":
		default:
			return misuse(hc, "command", "%s: invalid option", option)
		}
		break
	}
	switch {
	case len(rest) == 0:
		return nil
	case s.builtins[rest[0]] != nil:
		return s.builtins[rest[0]](ctx, hc, rest)
	}
	return hc.Builtin(ctx, append([]string{"command", "--"}, rest...))
}

// typeBuiltin implements the shell builtin "type".
func (s *shell) typeBuiltin(ctx context.Context, hc interp.HandlerContext, args []string) error {
	rest, mode := args[1:], ""
	for len(rest) > 0 && len(rest[0]) > 1 && rest[0][0] == '-' {
		option := rest[0]
		rest = rest[1:]
		if option == "--" {
			break
		}
		for _, letter := range option[1:] {
			switch letter {
			case 't', 'p', 'P':
				mode = "-" + string(letter)
			case 'a', 'f':
			default:
				return misuse(hc, "type", "-%c: invalid option", letter)
			}
		}
	}
	own := []string{"type"}
	if mode != "" {
		own = append(own, mode)
	}
	return s.describe(ctx, hc, rest, "type", own, func(name, path string) string {
		switch mode {
		case "-t":
			return "file"
		case "-p", "-P":
			return path
		}
		return name + " is " + path
	})
}

// describe describes each name. It describes commands of the sandbox itself, and passes functions,
// builtins and files to the interpreter.
func (s *shell) describe(ctx context.Context, hc interp.HandlerContext, names []string, by string, own []string, say func(name, path string) string) error {
	var failed error
	found := false
	for _, name := range names {
		base := commandName(name)
		known := s.commands[base] != nil
		if by == "command" && syntax.IsKeyword(name) {
			if err := write(ctx, hc, name+"\n"); err != nil {
				return err
			}
		} else if !known || s.isFunction(name) || interp.IsBuiltin(name) {
			if err := hc.Builtin(ctx, append(slices.Clone(own), name)); err != nil {
				failed = err
				continue
			}
		} else if err := write(ctx, hc, say(name, "/usr/bin/"+base)+"\n"); err != nil {
			return err
		}
		found = true
	}
	if by == "command" && found {
		return nil
	}
	return failed
}

// help lists all commands, or describes builtins.
func (s *shell) help(ctx context.Context, hc interp.HandlerContext, args []string) error {
	if len(args) > 1 && s.commands[args[1]] == nil {
		return hc.Builtin(ctx, args)
	}
	if len(args) > 1 {
		return s.exec(ctx, []string{args[1], "--help"})
	}
	var b strings.Builder
	b.WriteString("A shell in a sandbox: the language is bash, and these are the commands. No other program can be started.\n\n")
	line := ""
	for _, name := range s.names() {
		if len(line)+len(name) > 90 {
			fmt.Fprintln(&b, line)
			line = ""
		}
		line += " " + name
	}
	fmt.Fprintf(&b, "%s\n\nBuiltins: . : [ alias break cd command continue declare echo eval exec exit export false getopts let local mapfile\n"+
		" popd printf pushd pwd read readarray readonly return set shift shopt source test trap true type unalias unset wait\n", line)
	return write(ctx, hc, b.String())
}
