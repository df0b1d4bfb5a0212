package bash

import (
	"context"
	"fmt"
	"io"
	"path"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// searchPath is the value of PATH: the directories in which commands appear to be.
const searchPath = "/usr/local/bin:/usr/bin:/bin"

// builtinMark is a prefix that call adds to the names of our builtins. The interpreter then does
// not run its own builtin of the same name.
const builtinMark = "\x00"

// call is called for every simple command before the command runs. It enforces the limits, and
// renames our builtins so that the interpreter passes them to exec.
func (s *shell) call(ctx context.Context, args []string) ([]string, error) {
	if !keepsInputs(args[0]) {
		s.leave()
	}
	if runtime.NumGoroutine() > maxGoroutines {
		s.stop(errTooManyJobs)
		return nil, errTooManyJobs
	}
	if s.calls.Add(1)%depthEvery == 0 && tooDeep() {
		s.stop(errTooDeep)
		return nil, errTooDeep
	}
	if mark := s.marks[args[0]]; mark != "" && !s.isFunction(args[0]) {
		args = slices.Clone(args)
		args[0] = mark
	}
	return args, nil
}

// keepsInputs reports whether a command neither reads an input, unless it is read itself, nor
// changes a file. A function of this name consists of commands that are asked about in turn.
func keepsInputs(name string) bool {
	switch name {
	case "read", inputCommand, ":", "true", "false", "[", "test", "break", "continue", "return", "shift", "let", "local", "unset":
		return true
	}
	return false
}

func (s *shell) isFunction(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.functions[name]
}

// exec runs a command that is neither a function nor a builtin of the interpreter.
func (s *shell) exec(ctx context.Context, args []string) error {
	hc := interp.HandlerCtx(ctx)
	if hc.Stdin == nil {
		hc.Stdin = strings.NewReader("")
	}
	if b, ok := hc.Stdout.(substitution); ok {
		hc.Stdout = &limited{substitution: b, overflow: func() { s.stop(errTooMuchMemory) }}
	}
	if name, ok := strings.CutPrefix(args[0], builtinMark); ok {
		args[0] = name // call has made a copy
		return s.builtin(ctx, hc, args)
	}
	environ := exported(hc.Env)
	status := s.run(ctx, args, &command.Env{
		Dir: hc.Dir, Stdin: hc.Stdin, Stdout: hc.Stdout, Stderr: hc.Stderr,
		Getenv: lookup(environ), Environ: func() []string { return environ },
	})
	if status == statusBrokenPipe && s.countBroken(hc.Stdout) > maxBroken {
		return exit(ctx, hc, statusBrokenPipe)
	}
	return statusError(status)
}

// substitution is the buffer in which the interpreter collects the output of a substitution.
type substitution interface {
	io.Writer
	Len() int
}

// limited limits the output of a command substitution, because a crash for lack of memory would
// lose all output of the script.
type limited struct {
	substitution
	overflow func()
}

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxSubstitution {
		l.overflow()
		return 0, syscall.ENOMEM
	}
	return l.substitution.Write(p)
}

// builtin runs one of our builtins, which replace builtins of the interpreter.
func (s *shell) builtin(ctx context.Context, hc interp.HandlerContext, args []string) error {
	broken, err := s.guardedBuiltin(ctx, hc, args)
	if broken != nil {
		return fail(hc, args[0], "%v", broken)
	}
	return err
}

// guardedBuiltin runs a builtin. If the builtin panics, broken is set.
func (s *shell) guardedBuiltin(ctx context.Context, hc interp.HandlerContext, args []string) (broken, err error) {
	defer recoverAs(&broken, args[0])
	return nil, s.builtins[args[0]](ctx, hc, args)
}

// statusError converts an exit status to the error type of the interpreter.
func statusError(status int) error {
	if status == 0 {
		return nil
	}
	return interp.ExitStatus(status)
}

// exit ends the subshell that hc belongs to, with the given status.
func exit(ctx context.Context, hc interp.HandlerContext, status int) error {
	return hc.Builtin(ctx, []string{"exit", fmt.Sprint(status)})
}

func (s *shell) countBroken(out io.Writer) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken[out]++
	return s.broken[out]
}

// run runs a command with the streams, directory and variables of e, and returns its exit status.
// Commands such as xargs also use it to run other commands. It can't run functions of the script.
func (s *shell) run(ctx context.Context, args []string, e *command.Env) int {
	if ctx.Err() != nil {
		return statusStopped
	}
	if len(args) == 0 || args[0] == "" {
		fmt.Fprintln(e.Stderr, "bash: '': command not found")
		return statusNotFound
	}
	name := args[0]
	if f := s.commands[commandName(name)]; f != nil {
		own := *e
		own.Args = args
		own.Run = s.run
		return guarded(ctx, f, &own)
	}
	switch {
	case strings.Contains(name, "/"):
		return s.runFile(ctx, name, args[1:], e)
	case interp.IsBuiltin(name):
		return s.runBuiltin(ctx, args, e)
	}
	fmt.Fprintf(e.Stderr, "bash: %s: command not found\n", name)
	if hint := s.hint(name); hint != "" {
		fmt.Fprintln(e.Stderr, hint)
	}
	return statusNotFound
}

// guarded runs a command. If the command panics, guarded reports an internal error and a failure.
func guarded(ctx context.Context, f command.Func, e *command.Env) (status int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(e.Stderr, "%s: internal error: %v\n", e.Args[0], p)
			status = 125
		}
	}()
	return f(ctx, e) & 0xff
}

// commandName returns the last element of a path in PATH, such as env for /usr/bin/env. It returns
// any other name unchanged.
func commandName(name string) string {
	dir, base := path.Split(name)
	for p := range strings.SplitSeq(searchPath, ":") {
		if dir == p+"/" {
			return base
		}
	}
	return name
}

// runBuiltin runs a builtin of the shell in a separate interpreter.
func (s *shell) runBuiltin(ctx context.Context, args []string, e *command.Env) int {
	words := make([]*syntax.Word, len(args))
	for i, arg := range args {
		words[i] = &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: arg}}}
	}
	runner, err := s.runner(e.Environ(), e.Dir, e.Stdin, e.Stdout, e.Stderr, nil)
	if err != nil {
		fmt.Fprintf(e.Stderr, "bash: %s: %s\n", args[0], command.Message(err))
		return 1
	}
	return s.finish(ctx, runner, &syntax.CallExpr{Args: words}, e.Stderr).status
}
