package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

type runOptions struct {
	toolOptions
	grantOptions
	input   string
	timeout time.Duration
	yes     bool
	json    bool
	verbose bool
	receipt bool
	save    saveOptions
	spec    tool.Spec // of the tool; the zero value if it was not found
}

func newRunCommand(a *app) *cobra.Command {
	o := runOptions{toolOptions: toolOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "run NAME|./DIR|FILE.toml [KEY=VALUE | KEY:=JSON]...",
		Short: "Run a tool",
		Long: `Run a tool and print its result.

NAME is the name of a built-in tool, or of a tool found with --tools or in the
tool_directories of the operator's file. ./DIR is a directory that holds a tool.toml, and
FILE.toml is a manifest. A name without a slash is never taken for a directory.

Arguments:
  KEY=VALUE   a string; a number or a boolean if the parameter has that type
  KEY:=JSON   any JSON value: limit:=20, tags:='["a","b"]'
  --input     all arguments as one JSON object; KEY=VALUE adds to it

The tool can use only what its manifest asks for and you grant. By default you grant the
current directory, read-only, as the mount "workspace"; the clock; and randomness.
--allow write:workspace lets the tool write to the current directory. At a terminal, you
are asked about a permission that is missing. To grant permissions permanently, use
'wasmtool permission grant' or the operator's file; see docs/operator.md.

'wasmtool run NAME --help' shows the parameters of the tool NAME.

Exit status: see 'wasmtool --help'.`,
		Example: `  wasmtool run grep pattern='func main' path=.
  wasmtool run calculator expression='0.1+0.2'
  wasmtool run grep --help
  wasmtool run read --input '{"file_path":"go.mod","limit":5}' --json
  wasmtool run ./my-tool --dir workspace=../data --timeout 5s
  wasmtool run ./issues --allow net:https://api.github.com query=crash --receipt`,
		Args: someArguments("which tool? 'wasmtool list' shows them"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args[0], args[1:])
		},
	}
	o.toolOptions.add(cmd)
	o.addToolHelp(cmd)
	o.grantOptions.add(cmd, capability.WorkspaceMount+"=.")
	cmd.ValidArgsFunction = o.completeCall
	completeFlag(cmd, "allow", o.completeAsked(askedPermissions))
	completeFlag(cmd, "dir", o.completeMount)
	completeFlag(cmd, "env", o.completeAsked(askedVariables))
	o.save.add(cmd)
	flags := cmd.Flags()
	o.addSecrets(cmd)
	flags.StringVar(&o.input, "input", "", "pass these arguments: a JSON object, @FILE to read it from a file, or - for standard input")
	flags.DurationVar(&o.timeout, "timeout", 0, "limit the time of the call, instead of the timeout in the manifest (e.g. 5s)")
	flags.BoolVarP(&o.yes, "yes", "y", false, "approve the call without asking, even if the tool is dangerous")
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "show all log lines of the tool, what it wrote to standard error, and the stack if it trapped")
	flags.BoolVar(&o.receipt, "receipt", false, "print what the call accessed, which rule allowed it and what it cost, on standard error (or in the JSON object with --json)")
	flags.BoolVar(&o.json, "json", false, "print the result, the error and the warnings as one JSON object")
	return cmd
}

func (o *runOptions) run(cmd *cobra.Command, target string, pairs []string) error {
	if cmd.Flags().Changed("timeout") && o.timeout < time.Millisecond {
		return usage(cmd, "--timeout must be at least 1ms; write, for example, 5s")
	}
	if err := o.save.check(cmd, o.Streams, o.json); err != nil {
		return err
	}
	arguments, err := o.arguments(cmd, o.input, pairs)
	if err != nil {
		if u := new(usageError); errors.As(err, &u) {
			u.command = o.commandLine(target, "run")
		}
		return err
	}
	offer, err := o.offer(cmd, o.getenv)
	if err != nil {
		return err
	}
	approver := o.approver(o.yes, o.input == "-")
	stores, err := openForCalls(approver != nil && !o.yes)
	if err != nil {
		return err
	}
	defer closeStores(stores)
	options := standard.Options{Workspace: workspaceDir(), Host: standard.Host{Asker: o.asker(o.input == "-")}}
	if o.input == "-" && slices.ContainsFunc(o.secrets, readsInput) {
		return usage(cmd, "--input and --secret cannot both read standard input; use --secret NAME=env:VAR or NAME=@FILE")
	}
	if err := o.secretSources(cmd, o.app, &options); err != nil {
		return err
	}
	options.Registry.Rules = registry.Rules{Granted: o.given, Grantable: offer, AskOutside: approver != nil && !o.yes}
	options.Registry.Approvals = approvals(approver, stores)
	var receipt *tool.Receipt
	if o.receipt {
		options.Registry.Calls.OnReceipt = func(r tool.Receipt) { receipt = &r }
	}
	result, err := o.call(cmd, options, target, arguments)
	if err != nil {
		err = advised{err, o.grantCommand(target), o.configFile().Name, capability.Strings(o.given), o.verbose, o.argumentHelp(target, o.spec, arguments)}
	}
	var unsaved error
	if o.save.path != "" && err == nil {
		result, unsaved = o.save.save(o.Streams, result)
	}
	if o.json {
		return o.printEnvelope(result, receipt, cmp.Or(err, unsaved))
	}
	o.printWarnings(result.Warnings...)
	if receipt != nil {
		if text, err := json.MarshalIndent(receipt, "", "  "); err == nil {
			fmt.Fprintf(o.Err, "%s\n", printable(string(text)))
		}
	}
	if err != nil && !saysMore(result, err) {
		return err
	}
	streams := o.Streams
	if o.save.path == saveToOutput {
		streams.Out = o.Err
	}
	if failed := streams.printContent(result); failed != nil {
		return failed
	}
	return cmp.Or(err, unsaved)
}

// saysMore reports whether the result of a failed call contains text that its error lacks, such as
// the output of a script.
func saysMore(result tool.Result, err error) bool {
	var e *tool.Error
	if !errors.As(err, &e) || e.Code != tool.CodeExecution {
		return false
	}
	// Compare without white space, because the error message may be wrapped and indented
	// differently.
	squeeze := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	return !strings.Contains(squeeze(err.Error()+" "+e.Details.Foreign()), squeeze(result.Text()))
}

// call opens the tools, calls the target, and closes the tools.
func (o *runOptions) call(cmd *cobra.Command, options standard.Options, target string, arguments []byte) (tool.Result, error) {
	var names []string
	if !isPath(target) {
		names = []string{target}
	}
	from := func() (standard.Options, error) { return o.targetOptions(options, target) }
	if err := o.offerRuntimes(cmd.Context(), o.input == "-", from, names...); err != nil {
		return failedBeforeCall(target, err), err
	}
	tools, name, err := o.openTarget(cmd, options, target)
	if err != nil {
		return failedBeforeCall(target, err), err
	}
	defer tools.Close()
	if info, err := tools.Tools().Get(name); err == nil {
		o.spec = info.Spec
		if err := o.checkAsked(cmd, info.Spec); err != nil {
			return failedBeforeCall(target, err), err
		}
	}
	output := &callOutput{err: o.Err, name: name, minLevel: slog.LevelWarn}
	defer output.end()
	call := tool.Call{Tool: name, Arguments: arguments, Timeout: o.timeout, OnLog: output.log, OnProgress: output.progress}
	if o.verbose {
		output.minLevel = slog.LevelDebug
		call.OnDiagnostics = output.diagnose
	}
	result, err := tools.Execute(cmd.Context(), call)
	if o.grantAsked(cmd, tools, options, target, call, err) {
		result, err = tools.Execute(cmd.Context(), call)
	}
	output.printDiagnostics(err)
	return result, err
}

// failedBeforeCall returns the result of a call that failed before it reached a tool.
func failedBeforeCall(target string, err error) tool.Result {
	return tool.Result{
		IsError: true,
		Content: []tool.Content{tool.TextContent(err.Error())},
		Call:    tool.CallInfo{CallRef: tool.CallRef{Tool: target}},
	}
}
