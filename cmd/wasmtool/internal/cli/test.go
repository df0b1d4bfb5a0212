package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/examples"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

type testOptions struct {
	toolOptions
	network bool
	json    bool
}

func newTestCommand(a *app) *cobra.Command {
	o := testOptions{toolOptions: toolOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "test [NAME|./DIR|FILE.toml]...",
		Short: "Run the examples of tools and compare what comes of them",
		Long: `Run the [[examples]] of manifests, each in the sandbox and on its own: with the
files that it names and no others, an empty store, and with what the manifest asks
for granted and approved. Nothing of yours is reached. Variables are empty, secrets have no
value, and there is no network unless --network says so.

A NAME is a built-in tool or one found with --tools or in the tool_directories of the
operator's file; ./DIR is the folder of a tool, or one that holds such folders.
Without any, all of those with a NAME are tested.

Exit status: 0 when all that were run passed; 1 when some did not; 8 when a tool
cannot be loaded.`,
		Example: `  wasmtool test ./my-tool
  wasmtool test calculator grep
  wasmtool test --tools ./my-tools --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.test(cmd, args) },
	}
	o.addCache(cmd)
	cmd.ValidArgsFunction = o.completeTool
	cmd.Flags().StringArrayVar(&o.folders, "tools", nil, "load the tools in `DIR` too: DIR/tool.toml and DIR/*/tool.toml (repeatable)")
	cmd.Flags().BoolVar(&o.network, "network", false, "run the examples that reach a server, too, wherever their manifests say")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON array, one object for each example")
	return cmd
}

func (o testOptions) test(cmd *cobra.Command, targets []string) error {
	runs, err := o.runs(targets)
	if err != nil {
		return err
	}
	var all examples.Report
	broken := complaints{Streams: o.Streams}
	for _, run := range runs {
		report, err := examples.Run(cmd.Context(), run)
		if cmd.Context().Err() != nil {
			return err
		}
		if err != nil {
			broken.add(err)
			if unknown := new(tool.Error); errors.As(err, &unknown) && unknown.Code == tool.CodeNotFound && !isPath(unknown.Tool) {
				o.hintFolder(unknown.Tool)
			}
		}
		all.Outcomes = append(all.Outcomes, report.Outcomes...)
		all.Without = append(all.Without, report.Without...)
	}
	if err := o.printOutcomes(all); err != nil {
		return err
	}
	for _, name := range all.Without {
		o.printWarnings(name + " has no examples; write [[examples]] into its tool.toml")
	}
	if failed := all.Failures(); failed > 0 && broken.last == nil {
		return errSilent{tool.Errorf(tool.CodeExecution, "%d examples failed", failed)}
	}
	return broken.last
}

// runs sorts targets into those that are loaded together: names, and each path alone.
func (o testOptions) runs(targets []string) ([]examples.Options, error) {
	base, err := o.standardOptions(standard.Options{})
	if err != nil {
		return nil, err
	}
	named := examples.Options{Tools: base, Network: o.network}
	var runs []examples.Options
	for _, target := range targets {
		if !isPath(target) {
			named.Names = append(named.Names, target)
			continue
		}
		run := examples.Options{Tools: base, Network: o.network}
		alone(&run.Tools)
		if info, err := os.Stat(target); err == nil && info.IsDir() && !isTool(target) {
			run.Tools.Sources.Folders = []string{target}
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

// isTool reports whether a folder is that of one tool.
func isTool(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, manifests.FileName))
	return !errors.Is(err, os.ErrNotExist)
}

// statusWords are the statuses as the table has them.
var statusWords = map[examples.Status]string{examples.Passed: "ok", examples.Failed: "FAIL", examples.NotRun: "not run"}

// printOutcomes prints what came of examples, and of those that failed why.
func (o testOptions) printOutcomes(report examples.Report) error {
	if o.json {
		if report.Outcomes == nil {
			report.Outcomes = []examples.Outcome{}
		}
		return o.printJSON(report.Outcomes)
	}
	w := o.table()
	counts := make(map[examples.Status]int)
	for _, outcome := range report.Outcomes {
		counts[outcome.Status]++
		fmt.Fprintf(w, "%s\t%s\t%s\n", statusWords[outcome.Status], outcome.Tool, oneLine(outcome.Title))
	}
	if err := w.Flush(); err != nil {
		return outputFailed(err)
	}
	for _, outcome := range report.Outcomes {
		for _, fault := range outcome.Faults {
			text := strings.TrimRight(printable(fault), "\n")
			fmt.Fprintf(o.Out, "\n%s: %s\n  %s\n", outcome.Tool, oneLine(outcome.Title), strings.ReplaceAll(text, "\n", "\n  "))
		}
	}
	if len(report.Outcomes) == 0 {
		return nil
	}
	line := fmt.Sprintf("%d passed, %d failed", counts[examples.Passed], counts[examples.Failed])
	if n := counts[examples.NotRun]; n > 0 {
		line += fmt.Sprintf(", %d not run: they reach a server; --network runs them", n)
	}
	_, err := fmt.Fprintf(o.Out, "\n%s\n", line)
	return outputFailed(err)
}
