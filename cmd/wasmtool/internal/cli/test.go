package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/examples"
	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/terminal"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

type testOptions struct {
	toolOptions
	grants  grantOptions // only its secrets
	network bool
	record  bool
	json    bool
	junit   string
	verbose bool
	ran     *functionList // nil means that no functions are collected
}

func newTestCommand(a *app) *cobra.Command {
	o := testOptions{toolOptions: toolOptions{app: a}, ran: &functionList{}}
	cmd := &cobra.Command{
		Use:   "test [NAME|./DIR|FILE.toml]...",
		Short: "Run the examples of tools and check their results",
		Long: `Run the [[examples]] of manifests and check their results. Each example runs in the
sandbox, isolated from your files and from other examples: it has only the files that it
names, and the store that it describes. Everything that the manifest asks for is granted
and approved, but variables are empty. Secrets have the test values of the example, or,
if it reaches servers, the values of --secret, which every tested tool gets that asks.
Requests get the answers in [[examples.http]]. Only an example with network = true reaches
servers, and it runs only with --network.

--record sends the requests of examples that have network = true or answers to the real
servers, and prints the answers as [[examples.http]] to paste into the manifest. It leaves
out cookies, most headers and the values of secrets. Read the rest before you publish it.

NAME is the name of a built-in tool, or of a tool found with --tools or in the
tool_directories of the operator's file. ./DIR is the directory of a tool, or a directory
of such directories. Without arguments, the tool in the current directory is tested; if
there is none, all tools that have a NAME.

Exit status: 0 if all examples that were run passed; 1 if some failed; 8 if a tool cannot
be loaded.`,
		Example: `  wasmtool test ./my-tool
  wasmtool test calculator grep
  wasmtool test --record ./my-tool
  wasmtool test --tools ./my-tools --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.test(cmd, args) },
	}
	o.addCache(cmd)
	cmd.ValidArgsFunction = o.completeTools
	cmd.Flags().StringArrayVar(&o.directories, "tools", nil, "load the tools in `DIR` as well: DIR/tool.toml and DIR/*/tool.toml (repeatable)")
	cmd.Flags().BoolVar(&o.network, "network", false, "also run the examples that need the network, and let them reach the servers that their manifests name")
	cmd.Flags().BoolVar(&o.record, "record", false, "send the requests of examples to the real servers, and print the answers for the manifest")
	o.grants.addSecrets(cmd)
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "also show what tools wrote to standard error in examples that passed")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON array with one object for each example")
	cmd.Flags().StringVar(&o.ran.file, "functions", "", "write the functions that ran to `FILE`, as lines with a module's digest and an index, for the section wasmtool.early (see docs/abi.md); the examples run more slowly")
	cmd.Flags().StringVar(&o.junit, "junit", "", "also write the results to `FILE` in the form of JUnit, for CI systems")
	return cmd
}

func (o testOptions) test(cmd *cobra.Command, targets []string) error {
	all, broken, err := o.report(cmd, o.orToolHere("testing", targets))
	if err == nil {
		err = o.ran.write()
	}
	if err != nil {
		return err
	}
	if err := writeJUnit(o.junit, all.JUnit); err != nil {
		return err
	}
	if err := o.printOutcomes(all); err != nil {
		return err
	}
	for _, name := range all.Without {
		o.printWarnings(name + " has no examples; write [[examples]] into its tool.toml")
	}
	if failed := all.Failures(); failed > 0 && broken == nil {
		return errSilent{tool.Errorf(tool.CodeExecution, "%d examples failed", failed)}
	}
	return broken
}

// writeJUnit writes a report to a file; "" writes nothing.
func writeJUnit(path string, report func() ([]byte, error)) error {
	if path == "" {
		return nil
	}
	text, err := report()
	if err == nil {
		err = os.WriteFile(path, text, 0o666)
	}
	return outputFailed(err)
}

// report runs the examples of tools. It complains about tools that do not load, and returns the
// last of these errors as broken.
func (o testOptions) report(cmd *cobra.Command, targets []string) (all examples.Report, broken, err error) {
	runs, err := o.runs(cmd, targets)
	if err != nil {
		return all, nil, err
	}
	complain := complaints{Streams: o.Streams}
	for _, run := range runs {
		if err := o.offerRuntimes(cmd.Context(), false, func() (standard.Options, error) { return run.Tools, nil }, run.Names...); err != nil {
			return all, nil, err
		}
		report, err := examples.Run(cmd.Context(), run)
		if cmd.Context().Err() != nil {
			return all, nil, err
		}
		if err != nil {
			o.complainOf(&complain, err)
		}
		all.Outcomes = append(all.Outcomes, report.Outcomes...)
		all.Without = append(all.Without, report.Without...)
	}
	return all, complain.last, nil
}

// complainOf adds the error of tools that do not load, and prints a hint for an unknown name.
func (o testOptions) complainOf(c *complaints, err error) {
	c.add(err)
	if unknown := new(tool.Error); errors.As(err, &unknown) && unknown.Code == tool.CodeNotFound && !isPath(unknown.Tool) {
		o.hintDirectory(unknown.Tool)
	}
}

// runs groups targets by registry: all names share one registry, and each path has its own
// registry.
func (o testOptions) runs(cmd *cobra.Command, targets []string) ([]examples.Options, error) {
	base, err := o.standardOptions(standard.Options{})
	if err != nil {
		return nil, err
	}
	o.showCompile(&base.Runtime, func() string { return "compiling a tool" })
	base.Runtime.Events.Function = o.ran.listener()
	if len(o.grants.secrets) > 0 && !o.network && !o.record {
		return nil, usage(cmd, "--secret is only for examples that reach servers; add --network or --record, or write test values into secrets of [[examples]]")
	}
	if err := o.grants.secretSources(cmd, o.app, &base); err != nil {
		return nil, err
	}
	named := examples.Options{Tools: base, Network: o.network, Record: o.record}
	var runs []examples.Options
	for _, target := range targets {
		if !isPath(target) {
			named.Names = append(named.Names, target)
			continue
		}
		run := examples.Options{Tools: base, Network: o.network, Record: o.record}
		alone(&run.Tools)
		if info, err := os.Stat(target); err == nil && info.IsDir() && !isTool(target) {
			run.Tools.Sources.Directories = []string{target}
		} else {
			run.Tools.Sources.Tool = target
		}
		runs = append(runs, run)
	}
	if len(named.Names) > 0 || len(targets) == 0 {
		runs = append([]examples.Options{named}, runs...)
	}
	return runs, nil
}

// isTool reports whether dir is the directory of a tool.
func isTool(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, manifests.FileName))
	return !errors.Is(err, os.ErrNotExist)
}

// statusWords holds the statuses as the table shows them.
var statusWords = map[examples.Status]string{examples.Passed: "ok", examples.Failed: "FAIL", examples.NotRun: "not run"}

var statusStyles = map[examples.Status]string{examples.Passed: green, examples.Failed: red, examples.NotRun: yellow}

// printOutcomes prints the outcome of each example, and the reason of each failure.
func (o testOptions) printOutcomes(report examples.Report) error {
	if o.json {
		if report.Outcomes == nil {
			report.Outcomes = []examples.Outcome{}
		}
		return o.printJSON(report.Outcomes)
	}
	w := o.table("RESULT", "TOOL", "EXAMPLE")
	counts := make(map[examples.Status]int)
	for _, outcome := range report.Outcomes {
		counts[outcome.Status]++
		fmt.Fprintf(w, "%s\t%s\t%s\n", o.out(statusStyles[outcome.Status], statusWords[outcome.Status]), outcome.Tool, oneLine(outcome.Title))
	}
	if err := w.Flush(); err != nil {
		return outputFailed(err)
	}
	for _, outcome := range report.Outcomes {
		reports := outcome.Mismatches
		if outcome.Diagnostics != "" && (o.verbose || outcome.Status == examples.Failed) {
			reports = append(slices.Clip(reports), outcome.Diagnostics)
		}
		for _, mismatch := range reports {
			title := terminal.Wrap(outcome.Tool+": "+oneLine(outcome.Title), terminal.Columns(o.Out))
			fmt.Fprintf(o.Out, "\n%s\n  %s\n", strings.Join(title, "\n"), indent(printable(mismatch)))
		}
	}
	for _, outcome := range report.Outcomes {
		if outcome.Recorded != "" {
			fmt.Fprintf(o.Out, "\n# %s: %s\n%s", outcome.Tool, oneLine(outcome.Title), printable(outcome.Recorded))
		}
	}
	if len(report.Outcomes) == 0 {
		return nil
	}
	line := fmt.Sprintf("%d passed, %d failed", counts[examples.Passed], counts[examples.Failed])
	if n := counts[examples.NotRun]; n > 0 {
		line += fmt.Sprintf(", %d not run because they need the network (to run them, add --network)", n)
	}
	_, err := fmt.Fprintf(o.Out, "\n%s\n", line)
	return outputFailed(err)
}
