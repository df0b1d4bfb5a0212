package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/docs"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func newConfigCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "config",
		Short: "Find, check and show the operator's file",
		Long: `Find, check and show the operator's file, which grants permissions permanently. See
docs/operator.md for its format.`,
		Example: `  wasmtool config path
  wasmtool config check
  wasmtool config show
  wasmtool config schema`,
	}, newConfigPathCommand(a), newCheckCommand(a, "config"), newConfigShowCommand(a), newConfigSchemaCommand(a))
}

func newConfigSchemaCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the operator's file, for editors",
		Long: `Print the JSON Schema of the operator's file. Editors with Taplo, such as VS Code with Even
Better TOML, use it to complete, describe and check keys if the first line of the file
names it:

  #:schema ./wasmtool.schema.json

'wasmtool validate --schema' prints the schema of manifests.

Exit status: 0.`,
		Example: "  wasmtool config schema > wasmtool.schema.json",
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return a.printJSON(config.Schema(docs.Keys("operator.md"))) },
	}
}

// pathView is the JSON object that 'config path --json' prints.
type pathView struct {
	// Path is absolute; "" if no file can be read.
	Path string `json:"path"`
	// By says what names the file: "flag", "variable", "default", or "none" if nothing does.
	By     string `json:"by"`
	Exists bool   `json:"exists"`
}

func newConfigPathCommand(a *app) *cobra.Command {
	o := toolOptions{app: a}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "path",
		Short: "Print the path of the operator's file",
		Long: `Print the path of the operator's file on standard output, and on standard error what names
the file: --config, the variable WASMTOOL_CONFIG, or the default. The file need not exist.

Exit status: 0.`,
		Example: "  wasmtool config path --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			view, why := o.operatorPath()
			if asJSON {
				return a.printJSON(view)
			}
			a.note("%s%s", why, yesNo(view.Exists || view.Path == "", "", "; it does not exist"))
			if view.Path == "" {
				return nil
			}
			_, err := fmt.Fprintln(a.Out, oneLine(view.Path))
			return outputFailed(err)
		},
	}
	o.addConfig(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

// operatorPath returns the path of the operator's file, and a sentence about what names the file.
func (o toolOptions) operatorPath() (view pathView, why string) {
	file := o.configFile()
	switch {
	case file.Path == "":
		return pathView{By: "none"}, "no operator's file is read, because your configuration directory is unknown; name a file with --config"
	case o.config != "":
		view.By, why = "flag", "the file of --config"
	case file.Named:
		view.By, why = "variable", "the file of $"+config.PathVariable
	default:
		view.By, why = "default", "the default file; --config and $"+config.PathVariable+" name no other"
	}
	view.Path = file.Path
	if path, err := filepath.Abs(file.Path); err == nil {
		view.Path = path
	}
	_, err := os.Stat(file.Path)
	view.Exists = err == nil
	return view, why
}

func newConfigShowCommand(a *app) *cobra.Command {
	o := toolOptions{app: a}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show which settings hold, and from which line",
		Long: `Show each setting of the operator's file with its line, and the default of each setting
that the file leaves out. Values that may contain passwords are not shown: variables,
commands, and the URLs of servers. Defaults of single tools and of other names are left
out. What flags and 'wasmtool permission grant' add is not shown.

Exit status: 0; 2 if the file cannot be used.`,
		Example: `  wasmtool config show
  wasmtool config show --config wasmtool.toml --json`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			operator, err := o.loadConfig()
			if err != nil {
				return err
			}
			values := config.Values(operator)
			if asJSON {
				return a.printJSON(values)
			}
			var b strings.Builder
			for _, v := range values {
				text := cmp.Or(string(v.Value), v.Default)
				if v.Hidden {
					text = "(not shown)"
				} else if v.Value == nil {
					text = "(" + text + ")"
				}
				fmt.Fprintf(&b, "%s = %s  # %s\n", oneLine(v.Key), oneLine(text), oneLine(v.Source))
			}
			_, err = fmt.Fprint(a.Out, b.String())
			return outputFailed(err)
		},
	}
	o.addConfig(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

// checkView is the JSON object that 'config check --json' prints.
type checkView struct {
	Success  bool        `json:"success"`
	Error    *tool.Error `json:"error"`
	Errors   []errorView `json:"faults"`
	Warnings []string    `json:"warnings"`
}

// errorView is one error of a manifest or of the operator's file. Line and Column start at 1; both
// are 0 if the error concerns the whole file.
type errorView struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Key     string `json:"key,omitempty"`
	Message string `json:"message"`
}

// newCheckCommand returns the command 'check' of the command parent: 'policy' or 'config'.
func newCheckCommand(a *app, parent string) *cobra.Command {
	o := toolOptions{app: a}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the operator's file",
		Long: `Check the operator's file. Every error is reported with its line and column, and every
probable mistake as a warning. No tool is run.

Exit status: 0; 2 if the file cannot be used; 4 if the directory of a mount does not
exist; 8 if a tool cannot be loaded.`,
		Example: "  wasmtool " + parent + " check --config wasmtool.toml",
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
			a.note("%s", checked(o.configFile()))
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
		return "there is no operator's file" + where(file.Name) + "; nothing is granted beyond the defaults and stored grants"
	}
	return "the operator's file has no errors" + where(file.Name)
}

// checkPolicy returns warnings about probable mistakes in the operator's file.
func (o toolOptions) checkPolicy() ([]string, error) {
	t, err := o.openExplained("", nil)
	if err != nil {
		return nil, err
	}
	defer t.tools.Close()
	warnings := t.operator.Warnings()
	for _, problem := range standard.PolicyWarnings(t.operator, t.rules) {
		warnings = append(warnings, problem.String())
	}
	return warnings, nil
}

func (s Streams) printCheck(warnings []string, err error) error {
	view := checkView{Success: err == nil, Error: jsonError(err), Errors: errorViews(err), Warnings: append([]string{}, warnings...)}
	return s.printWithError(view, err)
}
