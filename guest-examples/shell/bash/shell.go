package bash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// shell is the state of one call, shared by its script, subshells and nested scripts.
type shell struct {
	host     Host
	commands map[string]command.Func
	builtins map[string]builtin
	// marks has, for the name of each of our builtins, the name with builtinMark.
	marks map[string]string
	// stop cancels the whole call with a cause.
	stop context.CancelCauseFunc
	// calls counts commands, so that expensive checks run only once in several commands.
	calls atomic.Uint32
	// scripts is the number of scripts that are running inside the script of the call.
	scripts atomic.Int32

	mu sync.Mutex
	// functions are the names of the functions that scripts of the call define; they take
	// precedence over our builtins.
	functions map[string]bool
	// temps are files to remove when the call ends.
	temps []string
	// broken has, for each pipe, the number of commands that failed to write to it because its
	// reader is closed.
	broken map[io.Writer]int
	// kept is the reader of the last read, or nil.
	kept *reader
}

func newShell(host Host, stop context.CancelCauseFunc) *shell {
	s := &shell{
		host:      host,
		commands:  maps.Clone(host.Commands),
		stop:      stop,
		functions: map[string]bool{},
		broken:    map[io.Writer]int{},
	}
	if s.commands == nil {
		s.commands = map[string]command.Func{}
	}
	s.commands["bash"], s.commands["sh"] = s.shellCommand, s.shellCommand
	s.commands[tempCommand] = s.newTemp
	s.builtins = s.builtinTable()
	s.marks = make(map[string]string, len(s.builtins))
	for name := range s.builtins {
		s.marks[name] = builtinMark + name
	}
	return s
}

// environ returns the initial variables of the script.
func (s *shell) environ(dir string) []string {
	return append([]string{
		"HOME=" + s.host.Workspace,
		"HOSTNAME=sandbox",
		"LANG=C.UTF-8",
		"LOGNAME=user",
		"PATH=" + searchPath,
		"PWD=" + dir,
		"SHELL=/bin/bash",
		"SHLVL=1",
		"TERM=dumb",
		"TMPDIR=" + s.host.Temp,
		"USER=user",
	}, s.host.Environ...)
}

// main runs the script of the call and then waits for its background jobs, whose output belongs to
// the result.
func (s *shell) main(ctx context.Context, script, dir string, stdin io.Reader, stdout, stderr io.Writer) ending {
	file, err := s.parse(script, "bash")
	if err != nil {
		fmt.Fprintln(stderr, err)
		return ending{status: statusUsage}
	}
	runner, err := s.runner(s.environ(dir), dir, stdin, stdout, stderr, nil)
	if err != nil {
		fmt.Fprintln(stderr, "bash:", err)
		return ending{status: statusUsage}
	}
	end := s.finish(ctx, runner, file, stderr)
	if wait, err := s.parse("wait", "bash"); err == nil && end.stopped == nil {
		// Run only the statement, because running a file would run the trap for EXIT again.
		s.finish(ctx, runner, wait.Stmts[0], stderr)
		end.stopped = context.Cause(ctx)
	}
	if end.stopped != nil {
		end.status = statusStopped
	}
	return end
}

// finish runs a script or a statement and returns how it ended.
func (s *shell) finish(ctx context.Context, runner *interp.Runner, node syntax.Node, stderr io.Writer) ending {
	err := func() (err error) {
		defer recoverAs(&err, "bash")
		return runner.Run(ctx, node)
	}()
	if cause := context.Cause(ctx); cause != nil {
		return ending{status: statusStopped, stopped: cause}
	}
	var status interp.ExitStatus
	switch {
	case err == nil:
		return ending{}
	case errors.As(err, &status):
		return ending{status: int(status)}
	}
	fmt.Fprintln(stderr, err)
	return ending{status: 1}
}

// runner returns a new interpreter. In environ, a later entry overrides an earlier entry of the
// same name.
func (s *shell) runner(environ []string, dir string, stdin io.Reader, stdout, stderr io.Writer, params []string) (*interp.Runner, error) {
	return interp.New(
		interp.Env(expand.ListEnviron(environ...)),
		interp.Dir(dir),
		interp.Params(append([]string{"--"}, params...)...),
		interp.StdIO(stdin, stdout, stderr),
		interp.CallHandler(s.call),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return s.exec }),
		interp.OpenHandler(s.open),
		interp.ReadDirHandler2(s.readDir),
		interp.StatHandler(s.stat),
		interp.AccessHandler(s.access),
	)
}

// exported returns the exported variables in the form NAME=value, sorted.
func exported(env expand.Environ) []string {
	values := map[string]string{}
	for name, v := range env.Each {
		if v.IsSet() && v.Exported && v.Kind == expand.String {
			values[name] = v.Str
		} else {
			delete(values, name) // a later variable replaces an earlier variable of the same name
		}
	}
	list := make([]string, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, name+"="+values[name])
	}
	return list
}

// lookup returns a function that looks up a variable in environ, a list that exported returned.
func lookup(environ []string) func(string) string {
	return func(name string) string {
		for _, pair := range slices.Backward(environ) {
			if value, ok := strings.CutPrefix(pair, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// tempCommand is an internal command that help does not list. It creates a file for a process
// substitution and prints its name.
const tempCommand = "__temporary_file"

func (s *shell) newTemp(_ context.Context, e *command.Env) int {
	name, err := s.tempFile("")
	if err != nil {
		fmt.Fprintf(e.Stderr, "bash: can't create a file for the process substitution: %s\n", command.Message(err))
		return 1
	}
	fmt.Fprintln(e.Stdout, name)
	return 0
}

// tempFile creates a file that the shell removes when the call ends.
func (s *shell) tempFile(content string) (name string, err error) {
	f, err := os.CreateTemp(s.host.Temp, ".shell-*")
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	s.temps = append(s.temps, f.Name())
	s.mu.Unlock()
	if _, err := f.WriteString(content); err != nil {
		f.Close()
		return "", err
	}
	return f.Name(), f.Close()
}

// removeTemps removes the files of process substitutions. It ignores errors, because the host
// removes the temporary directory after the call.
func (s *shell) removeTemps() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range s.temps {
		_ = os.Remove(name)
	}
}
