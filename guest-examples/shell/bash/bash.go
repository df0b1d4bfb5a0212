// Package bash implements the built-in tool bash, which runs shell scripts. An interpreter executes
// the script, and the commands are Go functions. No process is started, so a script can use only
// what the tool was granted.
package bash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
)

// Args are the arguments of one call.
type Args struct {
	// Command is the script; it must not be blank.
	Command string `json:"command"`
	// Description says in a few words what the script does, for the title of the result. "" means
	// the first line of the script.
	Description string `json:"description"`
	// WorkingDirectory is the directory in which the script starts, absolute or relative to the
	// working directory of the host; "" means the latter.
	WorkingDirectory string `json:"working_directory"`
	// Stdin is the standard input of the script.
	Stdin string `json:"stdin"`
	// TimeoutMS limits the time of the script, in milliseconds; 0 means DefaultTimeout.
	TimeoutMS int64 `json:"timeout_ms"`
}

// Host is the environment that the shell runs in.
type Host struct {
	// Commands are the commands by name. The shell adds sh and bash.
	Commands map[string]command.Func
	// Workspace is the absolute directory of the workspace, the home directory of scripts.
	Workspace string
	// WorkingDirectory is the absolute directory in which scripts start; "" means Workspace.
	WorkingDirectory string
	// Temp is the absolute directory for temporary files. The shell removes its own temporary files
	// when the script has ended.
	Temp string
	// Environ are the variables of the script in the form NAME=value. The shell also sets HOME,
	// PATH, PWD and others; Environ overrides those.
	Environ []string
	// MaxHeap limits the memory that the values of a script take between two commands, in bytes; 0
	// means no limit. The next command may need several times as much.
	MaxHeap uint64
	// Report is called at intervals with the last output of a script that runs for longer than a
	// moment. It may be nil.
	Report func(last string)
}

// Run runs one script and returns its output and exit status. Run returns an error only for invalid
// arguments; a failed script gives a result with IsError.
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
	run.maxHeap, run.tooLarge = host.MaxHeap, func() { cancel(errTooMuchMemory) }
	out := &capture{overflow: func() { cancel(errTooMuchOutput) }, report: host.Report}
	defer out.end()
	s := newShell(host, cancel)
	defer s.removeTemps()

	ended := make(chan ending, 1)
	go func() { ended <- s.main(run, args.Command, dir, strings.NewReader(args.Stdin), out, out) }()
	var end ending
	select {
	case end = <-ended:
	case <-run.Done():
		// Wait only briefly, because the script may be blocked forever. Return its output so far.
		select {
		case <-ended:
		case <-time.After(grace):
		}
		end = ending{status: statusStopped, stopped: context.Cause(run)}
	}
	return report(args, limit, end, out), nil
}

// begin returns the absolute directory in which the script starts.
func begin(host Host, args Args) (string, error) {
	if strings.TrimSpace(args.Command) == "" {
		return "", errors.New(`the argument "command" is empty; give a shell script, such as: ls -l | head`)
	}
	if len(args.Command) > maxScript {
		return "", fmt.Errorf(`the argument "command" has %d bytes; the limit is %d, so write the script to a file and run: bash FILE`, len(args.Command), maxScript)
	}
	start := cmp.Or(host.WorkingDirectory, host.Workspace)
	dir := start
	if args.WorkingDirectory != "" {
		dir = command.Path(start, args.WorkingDirectory)
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	switch {
	case err == nil:
		return dir, nil
	case args.WorkingDirectory != "":
		return "", fmt.Errorf("working_directory %s: %s; give a directory that is relative to %s or absolute", args.WorkingDirectory, command.Message(err), start)
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("no workspace is granted to this tool: the directory %s does not exist", host.Workspace)
	}
	return "", fmt.Errorf("the workspace can't be used: %s", command.Message(err))
}
