// Package cli is the wasmtool command: a file for each subcommand or group of them, and beside
// them what they share. Data goes to standard output, everything said about it to
// standard error; questions, progress and colour only to a terminal.
package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/internal/suggest"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
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
	root := newRootCommand(&app{Streams: s, getenv: os.LookupEnv, compiler: compiler})
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	return s.report(root.ExecuteContext(ctx), wantsJSON(args))
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

func newRootCommand(a *app) *cobra.Command {
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
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		message := err.Error()
		if strings.Contains(message, "missing unit") {
			message += "; write a unit too, such as 5s"
		}
		return usage(cmd, message)
	})
	return group(root,
		newRunCommand(a), newServeCommand(a), newListCommand(a), newSearchCommand(a), newShowCommand(a), newExportCommand(a),
		newValidateCommand(a), newTestCommand(a), newInspectCommand(a), newPolicyCommand(a), newPermissionCommand(a),
		newCacheCommand(a), newImportCommand(a), newVersionCommand(a))
}

// group makes cmd one that only holds others.
func group(cmd *cobra.Command, others ...*cobra.Command) *cobra.Command {
	cmd.Args = noArguments
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(others...)
	return cmd
}

// usageError is a wrong command line.
type usageError struct {
	error
	command string
}

func (e *usageError) Unwrap() error { return e.error }

// usage returns the error for a wrong command line of cmd.
func usage(cmd *cobra.Command, message string) error {
	return &usageError{&tool.Error{Code: tool.CodeUsage, Message: message, Recoverable: true}, cmd.CommandPath()}
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

// someArguments asks a question when there are none.
func someArguments(question string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage(cmd, question)
		}
		return nil
	}
}

func oneArgument(question string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usage(cmd, "takes one argument, not "+fmt.Sprint(len(args)))
		}
		return someArguments(question)(cmd, args)
	}
}

func newVersionCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Print the versions of wasmtool, of the Go toolchain that built it, and of the WASM engine.",
		Example: "  wasmtool version --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			v := readVersion()
			if asJSON {
				return a.printJSON(v)
			}
			_, err := fmt.Fprintln(a.Out, v)
			return outputFailed(err)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

type version struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Engine   string `json:"wazero"`
}

func (v version) String() string {
	return fmt.Sprintf("wasmtool %s (%s, %s, wazero %s)", v.Version, v.Go, v.Platform, v.Engine)
}

// readVersion asks the build, so that no version is written down twice.
func readVersion() version {
	v := version{
		Version: "(devel)", Go: goruntime.Version(), Platform: goruntime.GOOS + "/" + goruntime.GOARCH,
		Engine: cmp.Or(runtime.EngineVersion(), "unknown"),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Version = cmp.Or(info.Main.Version, v.Version)
	}
	return v
}
