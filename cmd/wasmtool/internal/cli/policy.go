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
		Short: "Check the operator's file and explain its decisions",
		Long: `Check the operator's file and explain its decisions. See docs/operator.md for its
format.`,
		Example: `  wasmtool policy check
  wasmtool policy explain grep read:workspace`,
	}, newPolicyCheckCommand(a), newPolicyExplainCommand(a))
}

// checkView is the JSON object that 'policy check --json' prints.
type checkView struct {
	Success  bool        `json:"success"`
	Error    *tool.Error `json:"error"`
	Errors   []errorView `json:"faults"`
	Warnings []string    `json:"warnings"`
}

// errorView is one error of the operator's file. Line and Column start at 1; both are 0 if the
// error concerns the whole file.
type errorView struct {
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
		Long: `Check the operator's file. Every error is reported with its line and column, and every
probable mistake as a warning. No tool is run.

Exit status: 0; 2 if the file cannot be used; 4 if the directory of a mount does not
exist; 8 if a tool cannot be loaded.`,
		Example: "  wasmtool policy check --config wasmtool.toml",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(cmd, "takes no arguments; to check this file, write --config "+shellWord(args[0]))
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object with each error and warning")
	return cmd
}

// checked returns the message for an operator's file that has no errors or does not exist. A
// missing file is not an error.
func checked(file config.File) string {
	if _, err := os.Stat(file.Path); file.Path == "" || errors.Is(err, fs.ErrNotExist) {
		return "wasmtool: there is no operator's file" + where(file.Name) + "; nothing is granted beyond the defaults and stored grants"
	}
	return "wasmtool: the operator's file has no errors" + where(file.Name)
}

// checkPolicy returns warnings about probable mistakes in the operator's file.
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
	view := checkView{Success: err == nil, Error: jsonError(err), Errors: []errorView{}, Warnings: append([]string{}, warnings...)}
	var list config.Errors
	if errors.As(err, &list) {
		for _, e := range list {
			view.Errors = append(view.Errors, errorView{e.File, e.Line, e.Column, e.Key, e.Message})
		}
	}
	return s.printWithError(view, err)
}
