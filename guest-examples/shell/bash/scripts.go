package bash

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
	"mvdan.cc/sh/v3/interp"
)

// shellCommand is the command bash or sh. It runs a file, the argument of -c, or its standard
// input, in a separate interpreter that inherits only exported variables.
func (s *shell) shellCommand(ctx context.Context, e *command.Env) int {
	name := path.Base(e.Args[0])
	line, err := parseCommandLine(e.Args[1:])
	if err != nil {
		fmt.Fprintf(e.Stderr, "%s: %v\n", name, err)
		return statusUsage
	}
	options, rest := line.options, line.rest
	switch {
	case line.inline && len(rest) == 0:
		fmt.Fprintf(e.Stderr, "%s: -c: option requires an argument\n", name)
		return statusUsage
	case line.inline:
		script, params := rest[0], rest[1:]
		if len(params) > 0 {
			name, params = params[0], params[1:]
		}
		return s.runScript(ctx, name, script, options, params, e)
	case len(rest) > 0 && !line.stdin:
		script, err := readScript(command.Path(e.Dir, rest[0]))
		if err != nil {
			fmt.Fprintf(e.Stderr, "%s: %s: %s\n", name, rest[0], command.Message(err))
			return statusNotFound
		}
		return s.runScript(ctx, rest[0], script, options, rest[1:], e)
	}
	script, err := io.ReadAll(io.LimitReader(e.Stdin, maxScript+1))
	if err != nil || len(script) > maxScript {
		fmt.Fprintf(e.Stderr, "%s: standard input is not a script of at most %d bytes\n", name, maxScript)
		return statusNoProgram
	}
	return s.runScript(ctx, name, string(script), options, rest, e)
}

// commandLine is the command line of the command bash.
type commandLine struct {
	// options are for set, and rest is what follows the options.
	options, rest []string
	// inline is set for -c: the first of rest is the script. stdin is set for -s: the script is in
	// the standard input, and rest are its parameters.
	inline, stdin bool
}

// parseCommandLine parses the arguments of the command bash.
func parseCommandLine(args []string) (line commandLine, err error) {
	for len(args) > 0 {
		arg := args[0]
		if arg == "-" || arg == "--" {
			line.rest = args[1:]
			return line, nil
		}
		if strings.HasPrefix(arg, "--") {
			// Accept the options for startup files and terminals, because the sandbox has neither.
			switch arg {
			case "--norc", "--noprofile", "--login", "--posix", "--noediting":
				args = args[1:]
				continue
			}
			return commandLine{}, fmt.Errorf("%s: invalid option", arg)
		}
		if len(arg) < 2 || arg[0] != '-' && arg[0] != '+' {
			break
		}
		args = args[1:]
		for _, letter := range arg[1:] {
			switch letter {
			case 'c':
				line.inline = true
			case 's':
				line.stdin = true
			case 'l', 'i':
			case 'o':
				if len(args) == 0 {
					return commandLine{}, errors.New("-o: option requires an argument")
				}
				line.options, args = append(line.options, arg[:1]+"o", args[0]), args[1:]
			default:
				line.options = append(line.options, arg[:1]+string(letter))
			}
		}
	}
	line.rest = args
	return line, nil
}

// readScript reads a script from a file.
func readScript(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return "", syscall.EISDIR
	}
	script, err := io.ReadAll(io.LimitReader(f, maxScript+1))
	if err != nil {
		return "", err
	}
	if len(script) > maxScript {
		return "", fmt.Errorf("the script is larger than the limit of %d bytes", maxScript)
	}
	first, _, _ := bytes.Cut(script, []byte("\n"))
	if bytes.IndexByte(first, 0) >= 0 {
		return "", errors.New("cannot execute binary file: the sandbox can't start programs")
	}
	return string(script), nil
}

// runFile runs a script file that was called by its path.
func (s *shell) runFile(ctx context.Context, name string, params []string, e *command.Env) int {
	script, err := readScript(command.Path(e.Dir, name))
	if err != nil {
		fmt.Fprintf(e.Stderr, "bash: %s: %s\n", name, command.Message(err))
		if errors.Is(err, os.ErrNotExist) {
			return statusNotFound
		}
		return statusNoProgram
	}
	line, _, _ := strings.Cut(script, "\n")
	if by, ok := strings.CutPrefix(line, "#!"); ok {
		words := strings.Fields(by)
		if len(words) > 0 && path.Base(words[0]) == "env" {
			words = words[1:]
		}
		if len(words) == 0 {
			words = []string{"nothing"}
		}
		switch program := path.Base(words[0]); program {
		case "sh", "bash", "dash", "ash", "ksh", "zsh":
			line, err := parseCommandLine(words[1:])
			if err != nil {
				fmt.Fprintf(e.Stderr, "bash: %s: %v\n", name, err)
				return statusUsage
			}
			return s.runScript(ctx, name, script, line.options, params, e)
		default:
			if s.commands[program] != nil {
				return s.run(ctx, append(append(append([]string{program}, words[1:]...), name), params...), e)
			}
			fmt.Fprintf(e.Stderr, "bash: %s: it is a script for %s, which the sandbox lacks\n", name, program)
			return statusNoProgram
		}
	}
	return s.runScript(ctx, name, script, nil, params, e)
}

// runScript runs a script in a separate interpreter.
func (s *shell) runScript(ctx context.Context, name, script string, options, params []string, e *command.Env) int {
	leave, err := s.enter()
	if err != nil {
		return statusStopped
	}
	defer leave()
	file, err := s.parse(script, name)
	if err != nil {
		fmt.Fprintln(e.Stderr, err)
		return statusUsage
	}
	runner, err := s.runner(e.Environ(), e.Dir, e.Stdin, e.Stdout, e.Stderr, params)
	if err == nil && len(options) > 0 {
		err = interp.Params(withoutIdle(options)...)(runner)
	}
	if err != nil {
		fmt.Fprintf(e.Stderr, "%s: %s\n", name, command.Message(err))
		return statusUsage
	}
	return s.finish(ctx, runner, file, e.Stderr).status
}
