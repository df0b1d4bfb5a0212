package cli

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/check"
	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/terminal"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

const (
	// defaultCheckTime limits the calls of one tool, and minCheckTime is the least useful limit.
	defaultCheckTime = 10 * time.Second
	minCheckTime     = time.Second
	// maxRandomSeed limits seeds that the command chooses, so that they are easy to write.
	maxRandomSeed = 1_000_000
)

type checkOptions struct {
	testOptions
	seed uint64
	time time.Duration
}

func newCheckToolsCommand(a *app) *cobra.Command {
	o := checkOptions{testOptions: testOptions{toolOptions: toolOptions{app: a}}}
	cmd := &cobra.Command{
		Use:   "check [NAME|./DIR|FILE.toml]...",
		Short: "Look for mistakes of tools with generated calls",
		Long: `Call tools with many different arguments that their schemas allow, and look for

  trap            calls that crash, exceed a limit, or fail without a message
  schema          results that are not what the manifest declares
  permission      permissions that no call used
  nondeterminism  equal calls with different results
  memory          calls that need almost all memory, or more each time
  provider        schemas that the definition for a provider of models cannot express
  description     texts for models that are missing, too long, or name what does not exist

Each finding has the fix and, if it comes from a call, the smallest arguments that show it, as
[[examples]] to paste into the manifest. Write there what the call should return.

The calls are made in the sandbox, in copies of the examples: with their files, their store and
their answers to requests. No call reaches a server or one of your files. Everything that a
manifest asks for is granted. Arguments come from the schema and from the examples, so more
examples find more.

Tools are chosen as in 'wasmtool test'. At most 400 different calls are made, and some are
repeated.

Exit status: 0 if nothing was found; 1 for findings; 2 for an invalid command line; 7 if a tool
does not exist; 8 if a tool cannot be loaded; 74 if a file cannot be written.`,
		Example: `  wasmtool check
  wasmtool check ./my-tool --seed 7
  wasmtool check --time 1m --junit check.xml ./my-tool`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.time < minCheckTime {
				return usage(cmd, fmt.Sprintf("--time %v is too short; give at least %v", o.time, minCheckTime))
			}
			if !cmd.Flags().Changed("seed") {
				o.seed = 1 + rand.Uint64N(maxRandomSeed)
			}
			return o.check(cmd, args)
		},
	}
	o.addCache(cmd)
	cmd.ValidArgsFunction = o.completeTools
	cmd.Flags().StringArrayVar(&o.directories, "tools", nil, "load the tools in `DIR` as well: DIR/tool.toml and DIR/*/tool.toml (repeatable)")
	cmd.Flags().Uint64Var(&o.seed, "seed", 0, "make the calls of the `SEED` that an earlier check printed; by default a new one")
	cmd.Flags().DurationVar(&o.time, "time", defaultCheckTime, "stop calling a tool after `TIME`")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON object with the findings of each tool")
	cmd.Flags().StringVar(&o.junit, "junit", "", "also write the results to `FILE` in the form of JUnit, for CI systems")
	return cmd
}

func (o checkOptions) check(cmd *cobra.Command, targets []string) error {
	runs, err := o.runs(cmd, o.orToolHere("checking", targets))
	if err != nil {
		return err
	}
	all := check.Report{Seed: o.seed, Tools: []check.Tool{}}
	broken := complaints{Streams: o.Streams}
	for _, run := range runs {
		if err := o.offerRuntimes(cmd.Context(), false, func() (standard.Options, error) { return run.Tools, nil }, run.Names...); err != nil {
			return err
		}
		report, err := check.Run(cmd.Context(), check.Options{Examples: run, Seed: o.seed, Time: o.time, OnLoadError: broken.add})
		if cmd.Context().Err() != nil {
			return err
		}
		if err != nil {
			o.complainOf(&broken, err)
		}
		all.Tools = append(all.Tools, report.Tools...)
	}
	if err := writeJUnit(o.junit, all.JUnit); err != nil {
		return err
	}
	if err := o.printFindings(all); err != nil {
		return err
	}
	for _, t := range all.Tools {
		if t.Succeeded == 0 {
			o.printWarnings("no call of " + t.Name + " succeeded, so little was checked; write [[examples]] with arguments that work into its tool.toml")
		}
	}
	if n := all.Findings(); n > 0 && broken.last == nil {
		return errSilent{tool.Errorf(tool.CodeExecution, "%d findings", n)}
	}
	return broken.last
}

// printFindings prints a line for each tool, then the findings.
func (o checkOptions) printFindings(report check.Report) error {
	if o.json {
		return o.printJSON(report)
	}
	w := o.table("RESULT", "TOOL", "CALLS", "FOUND")
	for _, t := range report.Tools {
		result := o.out(green, "ok")
		switch {
		case len(t.Findings) > 0:
			result = o.out(red, "FAIL")
		case t.Calls == 0:
			result = o.out(yellow, "not run")
		}
		kinds := each.Of(t.Findings, func(f check.Finding) string { return string(f.Kind) })
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\n", result, t.Name, t.Calls, strings.Join(kinds, ", "))
	}
	if err := w.Flush(); err != nil {
		return outputFailed(err)
	}
	for _, t := range report.Tools {
		for _, f := range t.Findings {
			line := fmt.Sprintf("%s: %s: %s", f.Tool, f.Kind, printable(f.Message))
			fmt.Fprintf(o.Out, "\n%s\n  fix: %s\n", indent(line), strings.Join(terminal.Wrap(printable(f.Fix), terminal.Columns(o.Out)), "\n  "))
			if f.Example != "" {
				fmt.Fprintf(o.Out, "\n%s", printable(f.Example))
			}
		}
	}
	if len(report.Tools) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(o.Out, "\n%d findings (--seed %d makes the same calls)\n", report.Findings(), report.Seed)
	return outputFailed(err)
}
