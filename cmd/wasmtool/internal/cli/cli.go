// Package cli implements the wasmtool command. Each subcommand, or group of subcommands, has a
// file of its own; the other files hold shared code. Data goes to standard output and messages go
// to standard error. Questions and progress are shown only on a terminal.
package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/terminal"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/suggest"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// Streams holds the standard streams of the process.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// log receives warnings in place of Err; nil means Err.
	log *slog.Logger

	colorOut, colorErr bool // text written to Out, or to Err, may have colour
}

// Main runs the command line args, which do not include the program's name, and returns the exit
// status. It stops the running command when ctx is done. compiler is the value that
// [runtime.SelfCompiler] returned to the program.
func Main(ctx context.Context, args []string, s Streams, compiler []string) int {
	a := &app{Streams: s, getenv: os.LookupEnv, compiler: compiler}
	if kind, _ := a.getenv("TERM"); kind != "dumb" {
		if line := terminal.NewStatusLine(s.Err); line != nil {
			defer line.Close()
			a.Err = line
		}
	}
	a.setColor(colorAuto)
	root := newRootCommand(a)
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(a.Err)
	return a.report(cmp.Or(root.ExecuteContext(ctx), a.helpFailed), wantsJSON(args))
}

// app holds the state that all subcommands share.
type app struct {
	Streams
	getenv func(name string) (string, bool)
	// helpFailed is the error of a help function, because a help function of cobra returns none.
	helpFailed error
	// compiler is the command line of the process that compiles modules.
	compiler []string
}

// wantsJSON reports whether a command line asks for JSON. It must also work for a command line that
// cannot be parsed, because the error is then printed as JSON.
func wantsJSON(args []string) bool {
	for i, arg := range args {
		switch arg {
		case "--json", "--json=true", "--output=json":
			return true
		case "--output":
			if slices.Contains(args[i:min(i+2, len(args))], formatJSON) {
				return true
			}
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

A tool is a WASM module or a script, with a manifest, tool.toml. The manifest declares
the arguments that the tool takes and the permissions that it asks for. The tool can use
only what was granted: no other file, environment variable, server or clock.

Exit status:
  0  success
  1  the tool ran and reported a failure
  2  the command line is wrong
  3  the arguments do not match the tool's schema
  4  the call was not permitted or not approved
  5  the call exceeded its deadline or was interrupted
  6  the tool crashed, exceeded a limit or printed invalid output
  7  the tool does not exist or is switched off
  8  the tool cannot be loaded
  9  a server failed or could not be reached
  70 an internal error of wasmtool
  74 the output could not be written`,
		Example: `  wasmtool list
  wasmtool run grep pattern='func main' path=.
  wasmtool run ./my-tool name=World`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	color := new(choice)
	color.add(root, true, "color", "use colour `WHEN`", colorAuto, colorAlways, colorNever)
	root.PersistentPreRun = func(*cobra.Command, []string) { a.setColor(color.word) }
	a.setHelp(root)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		message := err.Error()
		if strings.Contains(message, "missing unit") {
			message += "; add a unit, such as 5s"
		}
		if name, unknown := strings.CutPrefix(message, "unknown flag: --"); unknown && cmd.Name() == "run" {
			message += "; a parameter of the tool is written without dashes: " + name + "=VALUE"
		}
		return usage(cmd, message)
	})
	return group(root,
		newRunCommand(a), newNewCommand(a), newAgentCommand(a), newServeCommand(a), newListCommand(a), newSearchCommand(a), newShowCommand(a), newExportCommand(a),
		newValidateCommand(a), newTestCommand(a), newCheckToolsCommand(a), newInspectCommand(a), newConfigCommand(a), newPolicyCommand(a), newPermissionCommand(a),
		newCacheCommand(a), newRuntimeCommand(a), newVendorCommand(a), newBuildCommand(a), newDevCommand(a), newImportCommand(a), newVersionCommand(a))
}

// group makes cmd a command that only prints its help, and adds the given subcommands to it.
func group(cmd *cobra.Command, others ...*cobra.Command) *cobra.Command {
	cmd.Args = noArguments
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(others...)
	return cmd
}

// usageError is the error of a wrong command line.
type usageError struct {
	error
	command string
}

func (e *usageError) Unwrap() error { return e.error }

// usage returns the usageError of the command cmd.
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
	return unknownCommand(cmd, args[0])
}

// unknownCommand returns the error for a command that has no subcommand of this name.
func unknownCommand(cmd *cobra.Command, name string) error {
	message := "unknown command " + quote(name)
	names := each.Of(cmd.Commands(), (*cobra.Command).Name)
	if near := suggest.Nearest(name, names); near != "" {
		message += "; did you mean " + near + "?"
	} else if !cmd.HasParent() {
		message += "; to run a tool: wasmtool run " + shellWord(name)
	}
	return usage(cmd, message)
}

// someArguments requires at least one argument. If there is none, the error message is question,
// such as "which tool?".
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
			return usage(cmd, "takes one argument, got "+fmt.Sprint(len(args)))
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

// readVersion reads the versions from the build information, so that no version is repeated in the
// source code.
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

// setHelp makes every help end with the exit statuses, and breaks the lines of flags at words.
func (a *app) setHelp(root *cobra.Command) {
	wrapped := fmt.Sprintf(".FlagUsagesWrapped %d ", terminal.Columns(a.Out))
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "FlagUsages ", wrapped[1:]))
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		const heading = "\n\nExit status:"
		text, statuses, found := strings.Cut(cmd.Long, heading)
		w := &terminal.Layout{Out: a.Out, Columns: terminal.Columns(a.Out)}
		fmt.Fprintf(w, "%s\n\n%s", text, cmd.UsageString())
		if found {
			fmt.Fprintf(w, "%s%s\n", heading[1:], statuses)
		}
		_ = w.Flush() // cobra's help functions cannot report a failed write
	})
	root.SetHelpCommand(newHelpCommand())
}

func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]...",
		Short: "Show the help of a command",
		Long: `Show the help of a command.

Exit status: 0; 2 if there is no such command.`,
		Example: "  wasmtool help cache list",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil:
				return usage(cmd.Root(), err.Error())
			case len(rest) > 0:
				return unknownCommand(found, rest[0])
			}
			return found.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if found, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
				for _, c := range found.Commands() {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}
