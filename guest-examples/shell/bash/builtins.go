package bash

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// builtin is a function that replaces a builtin of the interpreter. args[0] is the name of the
// builtin. The function reads variables from hc and sets variables with assign.
type builtin func(ctx context.Context, hc interp.HandlerContext, args []string) error

// builtinTable returns the builtins that the interpreter lacks or implements incompletely.
func (s *shell) builtinTable() map[string]builtin {
	return map[string]builtin{
		"command":   s.commandBuiltin,
		"echo":      echo,
		"eval":      s.eval,
		"help":      s.help,
		"jobs":      nothing,
		"disown":    nothing,
		"kill":      impossible("there are no processes to signal; background jobs end with the call, and wait waits for them"),
		"bg":        impossible("there is no job control"),
		"fg":        impossible("there is no job control; wait waits for background jobs"),
		"mapfile":   mapfile,
		"printf":    printfBuiltin,
		"read":      s.readLine,
		"readarray": mapfile,
		"set":       set,
		"shopt":     shopt,
		"source":    s.source,
		".":         s.source,
		"trap":      s.trap,
		"type":      s.typeBuiltin,
		"ulimit":    constant("unlimited"),
		"umask":     constant("0022"),
		"wait":      wait,

		inputCommand: storeInput,
	}
}

// nothing does nothing and succeeds.
func nothing(context.Context, interp.HandlerContext, []string) error { return nil }

// impossible returns a builtin that always fails and prints the given reason.
func impossible(why string) builtin {
	return func(_ context.Context, hc interp.HandlerContext, args []string) error {
		return fail(hc, args[0], "%s", why)
	}
}

// constant returns a builtin that prints answer. It ignores an attempt to change the value.
func constant(answer string) builtin {
	return func(ctx context.Context, hc interp.HandlerContext, args []string) error {
		for _, arg := range args[1:] {
			if !strings.HasPrefix(arg, "-") {
				return nil // ignore the new value: it has no effect in the sandbox
			}
		}
		return write(ctx, hc, answer+"\n")
	}
}

// wait waits for background jobs. Unlike in bash, wait -n also waits for all jobs instead of the
// next.
func wait(ctx context.Context, hc interp.HandlerContext, args []string) error {
	if len(args) > 1 && args[1] == "-n" {
		args = args[:1]
	}
	return hc.Builtin(ctx, args)
}

// write writes the output of a builtin. If the reader of a pipe is closed, the subshell exits, as a
// process would after SIGPIPE.
func write(ctx context.Context, hc interp.HandlerContext, text string) error {
	_, err := io.WriteString(hc.Stdout, text)
	switch {
	case err == nil:
		return nil
	case command.IsBrokenPipe(err):
		return exit(ctx, hc, statusBrokenPipe)
	}
	fmt.Fprintf(hc.Stderr, "bash: write error: %s\n", command.Message(err))
	return interp.ExitStatus(1)
}

// fail prints an error of a builtin and returns the exit status 1.
func fail(hc interp.HandlerContext, name, format string, args ...any) error {
	fmt.Fprintf(hc.Stderr, "bash: %s: %s\n", name, fmt.Sprintf(format, args...))
	return interp.ExitStatus(1)
}

// misuse prints a usage error of a builtin and returns the exit status 2.
func misuse(hc interp.HandlerContext, name, format string, args ...any) error {
	fmt.Fprintf(hc.Stderr, "bash: %s: %s\n", name, fmt.Sprintf(format, args...))
	return interp.ExitStatus(statusUsage)
}

// assignment assigns a value to a variable, or several values to an array.
type assignment struct {
	name   string
	values []string
	array  bool
}

// assign sets variables in the shell that hc belongs to. It drops NUL bytes, which variables
// can't hold.
func assign(ctx context.Context, hc interp.HandlerContext, assignments ...assignment) error {
	for i, a := range assignments {
		if !a.simply(hc.Env) {
			return evaluate(ctx, hc, assignments[i:])
		}
	}
	return nil
}

// evaluate makes assignments by evaluating a script.
func evaluate(ctx context.Context, hc interp.HandlerContext, assignments []assignment) error {
	var script strings.Builder
	for _, a := range assignments {
		quoted := make([]string, len(a.values))
		for i, value := range a.values {
			text, err := syntax.Quote(strings.ReplaceAll(value, "\x00", ""), syntax.LangBash)
			if err != nil {
				return fail(hc, a.name, "%v", err)
			}
			quoted[i] = text
		}
		text := strings.Join(quoted, " ")
		if a.array {
			text = "(" + text + ")"
		}
		fmt.Fprintf(&script, "%s=%s\n", a.name, text)
	}
	return hc.Builtin(ctx, []string{"eval", script.String()})
}

// simply sets the variable without evaluating a script, if the variable has no attributes that
// matter. It reports whether the variable was set.
func (a assignment) simply(env expand.Environ) bool {
	variables, ok := env.(expand.WriteEnviron)
	before := env.Get(a.name)
	if !ok || !syntax.ValidName(a.name) || strings.Trim(before.Flags(), "ax") != "" || slices.ContainsFunc(a.values, hasNUL) {
		return false
	}
	after := expand.Variable{Set: true, Exported: before.Exported, Kind: expand.String}
	if a.array {
		after.Kind, after.List = expand.Indexed, a.values
		if after.List == nil {
			after.List = []string{} // an empty array is not the same as no array
		}
	} else {
		after.Str = a.values[0]
	}
	if before.Kind != expand.Unknown && before.Kind != after.Kind {
		return false
	}
	return variables.Set(a.name, after) == nil
}

func hasNUL(value string) bool { return strings.IndexByte(value, 0) >= 0 }

// eval runs its arguments as a script. It first rewrites the script with the method prepared.
func (s *shell) eval(ctx context.Context, hc interp.HandlerContext, args []string) error {
	script := strings.Join(args[1:], " ")
	leave, err := s.enter()
	if err != nil {
		return err
	}
	defer leave()
	prepared, err := s.prepared(script, "eval")
	if err != nil {
		return fail(hc, "eval", "%v", err)
	}
	return hc.Builtin(ctx, []string{"eval", prepared})
}

// prepared returns a version of script that the interpreter can run. It parses the script to check
// that its nesting is within the limit.
func (s *shell) prepared(script, name string) (string, error) {
	file, err := parse(script, name)
	if err != nil {
		return "", err
	}
	before := printed(file)
	if err := s.prepare(file); err != nil {
		return "", err
	}
	if after := printed(file); after != before {
		return after, nil
	}
	return script, nil
}

// source runs a file in the current shell.
func (s *shell) source(ctx context.Context, hc interp.HandlerContext, args []string) error {
	if len(args) > 1 && args[1] == "--" {
		args = slices.Delete(slices.Clone(args), 1, 2)
	}
	if len(args) < 2 {
		return misuse(hc, args[0], "filename argument required")
	}
	name := command.Path(hc.Dir, args[1])
	if _, ok := openDevice(hc, name); ok {
		return hc.Builtin(ctx, args)
	}
	leave, err := s.enter()
	if err != nil {
		return err
	}
	defer leave()
	script, err := readScript(name)
	if err != nil {
		return fail(hc, args[1], "%s", command.Message(err))
	}
	prepared, err := s.prepared(script, args[1])
	if err != nil {
		return fail(hc, args[0], "%v", err)
	}
	if prepared != script {
		if name, err = s.tempFile(prepared); err != nil {
			return fail(hc, args[0], "%s", command.Message(err))
		}
	}
	return hc.Builtin(ctx, append([]string{args[0], name}, args[2:]...))
}
