package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func newPolicyCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "policy",
		Short: "Check the operator's file, and explain what it decides",
		Long: `Check the operator's file, and explain what it decides. See docs/operator.md for its
format.`,
		Example: `  wasmtool policy check
  wasmtool policy explain grep read:workspace`,
	}, newPolicyCheckCommand(a), newPolicyExplainCommand(a))
}

// checkView is what 'policy check --json' prints.
type checkView struct {
	Success  bool        `json:"success"`
	Error    *tool.Error `json:"error"`
	Faults   []faultView `json:"faults"`
	Warnings []string    `json:"warnings"`
}

// faultView is one fault of the operator's file. Line and column count from 1; both are 0
// for a fault of the whole file.
type faultView struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Key     string `json:"key,omitempty"`
	Message string `json:"message"`
}

func newPolicyCheckCommand(a *app) *cobra.Command {
	o := toolOptions{app: a}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the operator's file",
		Long: `Check the operator's file: every fault is told with its line and column, and what is
probably a slip as a warning. Nothing is run.

Exit status: 0; 2 when the file cannot be used; 4 when a folder of its mounts is not there;
8 for a tool that does not load.`,
		Example: "  wasmtool policy check --config wasmtool.toml",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(cmd, "takes no arguments; to check another file than yours, write --config "+shellWord(args[0]))
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			warnings, err := o.checkPolicy()
			if asJSON {
				return a.printCheck(warnings, err)
			}
			if err != nil {
				return err
			}
			a.printWarnings(warnings...)
			fmt.Fprintln(a.Err, checked(o.configFile()))
			return nil
		},
	}
	o.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object with each fault and warning")
	return cmd
}

// checked says that nothing is wrong with the operator's file, or that there is none: it
// need not be there.
func checked(file config.File) string {
	if _, err := os.Stat(file.Path); file.Path == "" || errors.Is(err, fs.ErrNotExist) {
		return "wasmtool: there is no operator's file" + where(file.Name) + "; what needs a word of yours is not granted"
	}
	return "wasmtool: the operator's file can be used" + where(file.Name)
}

// checkPolicy returns what is probably a slip in the operator's file.
func (o toolOptions) checkPolicy() ([]string, error) {
	t, err := o.openExplained("", nil)
	if err != nil {
		return nil, err
	}
	defer t.tools.Close()
	warnings := t.operator.Warnings()
	for _, problem := range t.rules.Policy.Warnings() {
		warnings = append(warnings, problem.String())
	}
	return warnings, nil
}

func (s Streams) printCheck(warnings []string, err error) error {
	view := checkView{Success: err == nil, Error: jsonError(err), Faults: []faultView{}, Warnings: append([]string{}, warnings...)}
	var faults config.Errors
	if errors.As(err, &faults) {
		for _, f := range faults {
			view.Faults = append(view.Faults, faultView{f.File, f.Line, f.Column, f.Key, f.Message})
		}
	}
	return s.printTold(view, err)
}
