// Package bash is the tool that runs shell scripts: the language is that of bash,
// by an interpreter, and the commands are Go functions. No process is started, so
// a script reaches what the tool was granted and nothing else.
package bash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
)

// Args are the arguments of one call.
type Args struct {
	// Command is the script; not blank.
	Command string `json:"command"`
	// Description says in a few words what the script does, for the title of the
	// result; "" takes the first line of the script.
	Description string `json:"description"`
	// WorkingDirectory is where the script begins, absolute or relative to the
	// workspace; "" is the workspace.
	WorkingDirectory string `json:"working_directory"`
	// Stdin is what the script can read from its standard input.
	Stdin string `json:"stdin"`
	// TimeoutMS is how long the script may take, in milliseconds; 0 is DefaultTimeout.
	TimeoutMS int64 `json:"timeout_ms"`
}

// Host is what surrounds the shell.
type Host struct {
	// Commands are the commands by their names. The shell adds sh and bash.
	Commands map[string]command.Func
	// Workspace is the absolute folder in which scripts begin.
	Workspace string
	// Temp is the absolute folder for files that need not last; the shell removes
	// its own when the script has ended.
	Temp string
	// Environ are the variables of the script in the form NAME=value, besides HOME,
	// PATH, PWD and the like, which the shell sets; they win over those.
	Environ []string
	// Tell hears from time to time the last of what a script wrote that takes its time; nil
	// when nobody wants to know.
	Tell func(last string)
}

// Run runs one script and returns what it wrote and how it ended. The error is for
// arguments that make no sense; a script that fails is a result with IsError.
func Run(ctx context.Context, host Host, args Args) (guest.Result, error) {
	dir, err := begin(host, args)
	if err != nil {
		return guest.Result{}, err
	}
	limit := DefaultTimeout
	if args.TimeoutMS > 0 {
		limit = min(time.Duration(args.TimeoutMS)*time.Millisecond, MaxTimeout)
	}
	run, cancel := newClock(ctx, limit)
	defer cancel(nil)
	out := &capture{overflow: func() { cancel(errTooMuchOutput) }, tell: host.Tell}
	defer out.end()
	s := newShell(host, cancel)
	defer s.removeTemps()

	ended := make(chan ending, 1)
	go func() { ended <- s.main(run, args.Command, dir, strings.NewReader(args.Stdin), out, out) }()
	var end ending
	select {
	case end = <-ended:
	case <-run.Done():
		// A script that waits for what does not come is left where it is: the
		// output so far is worth more.
		select {
		case <-ended:
		case <-time.After(grace):
		}
		end = ending{status: statusStopped, stopped: context.Cause(run)}
	}
	return report(args, limit, end, out), nil
}

// begin returns the folder in which the script begins.
func begin(host Host, args Args) (string, error) {
	if strings.TrimSpace(args.Command) == "" {
		return "", errors.New("command is empty; give a shell script such as ls -l | head")
	}
	if len(args.Command) > maxScript {
		return "", fmt.Errorf("command has %d bytes and may have %d; write the script to a file and run: bash FILE", len(args.Command), maxScript)
	}
	dir := host.Workspace
	if args.WorkingDirectory != "" {
		dir = absolute(host.Workspace, args.WorkingDirectory)
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	switch {
	case err == nil:
		return dir, nil
	case args.WorkingDirectory != "":
		return "", fmt.Errorf("working_directory %s: %s; give a folder, relative to the workspace or absolute under %s", args.WorkingDirectory, command.Message(err), host.Workspace)
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("no workspace is granted to this tool: there is no folder %s", host.Workspace)
	}
	return "", fmt.Errorf("the workspace can't be used: %s", command.Message(err))
}

// absolute returns name as seen from dir, cleaned.
func absolute(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}
