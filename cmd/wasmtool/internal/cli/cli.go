// Package cli is the wasmtool command: one file for each subcommand, and beside
// them what they share. Data goes to standard output, everything said about it to
// standard error; questions, progress and colour only to a terminal.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/wasmtool/wasmtool/internal/suggest"
)

// Streams are the streams of the process.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Main runs the command line args (without the program's name) and returns the
// exit status. It stops what it runs when ctx is done. compiler is what
// runtime.SelfCompiler returned to the program.
func Main(ctx context.Context, args []string, s Streams, compiler []string) int {
	app := &app{Streams: s, getenv: os.LookupEnv, compiler: compiler}
	root := app.rootCommand()
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	return app.report(root.ExecuteContext(ctx), wantsJSON(args))
}

// app is what the subcommands share.
type app struct {
	Streams
	getenv func(name string) (string, bool)
	// compiler is the command that compiles modules.
	compiler []string
}

// wantsJSON reports whether a command line asks for JSON, even one that cannot be
// parsed otherwise.
func wantsJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--json", "--json=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:     "wasmtool",
		Version: readVersion().String(),
		Short:   "Run tools for AI agents inside a WebAssembly sandbox",
		Long: `Run tools for AI agents inside a WebAssembly sandbox.

A tool is a WASM module with a manifest, tool.toml, that says which arguments it
takes and what it asks to reach. It reaches nothing else: no file, variable or
clock that was not granted.

Exit status:
  0  success
  1  the tool ran and reported a failure
  2  the command line is wrong
  3  the arguments do not fit the tool's schema
  4  not permitted, or not approved
  5  the deadline passed, or interrupted
  6  the tool broke down, met a limit, or printed what it must not
  7  no such tool, or one that is switched off
  8  the tool cannot be loaded
  9  a server failed, or could not be reached
  70 a fault of wasmtool
  74 the output could not be written`,
		Example: `  wasmtool list
  wasmtool run grep pattern='func main' path=.
  wasmtool run ./my-tool name=World`,
		Args:          noArguments,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		message := err.Error()
		if strings.Contains(message, "missing unit") {
			message += "; write a unit too, such as 5s"
		}
		return usage(cmd, message)
	})
	root.AddCommand(
		a.runCommand(), a.serveCommand(), a.listCommand(), a.searchCommand(), a.showCommand(), a.exportCommand(),
		a.validateCommand(), a.testCommand(), a.inspectCommand(), a.policyCommand(), a.permissionCommand(), a.cacheCommand(), a.importCommand(), a.versionCommand(),
	)
	return root
}

// usageError is a wrong command line.
type usageError struct {
	command string
	message string
}

func (e *usageError) Error() string { return e.message }

// usage returns the error for a wrong command line of cmd.
func usage(cmd *cobra.Command, message string) error {
	return &usageError{command: cmd.CommandPath(), message: message}
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasSubCommands() {
		return usage(cmd, "takes no arguments")
	}
	message := "unknown command " + quote(args[0])
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	if near := suggest.Nearest(args[0], names); near != "" {
		message += "; did you mean " + near + "?"
	} else if !cmd.HasParent() {
		message += "; to run a tool: wasmtool run " + oneLine(args[0])
	}
	return usage(cmd, message)
}

// isTerminal reports whether a stream is one, which only a file can be.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// errSilent ends a command that has said everything already. Its status is that of
// the error it wraps.
type errSilent struct{ error }

func (e errSilent) Unwrap() error { return e.error }

func isSilent(err error) bool {
	var silent errSilent
	return errors.As(err, &silent)
}
