package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/registry/tool"
)

func (a *app) listCommand() *cobra.Command {
	var o toolOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tools",
		Long: `List the built-in tools and those in the folders given with --tools.

Exit status: 0; 8 when a tool could not be loaded (the others are listed).`,
		Example: `  wasmtool list
  wasmtool list --tools ./my-tools --json`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return a.list(o, asJSON) },
	}
	o.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func (a *app) list(o toolOptions, asJSON bool) error {
	var broken error
	tools, err := a.open(o, toolSet{onLoadError: func(err error) {
		a.complain(err)
		broken = errSilent{err}
	}})
	if err != nil {
		return err
	}
	defer tools.Close()
	specs := tools.List()
	if asJSON {
		views := make([]toolView, len(specs))
		for i, s := range specs {
			views[i] = newToolView(s)
		}
		if err := a.printJSON(views); err != nil {
			return err
		}
		return broken
	}
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	for _, s := range specs {
		mark := ""
		if s.Dangerous {
			mark = "(dangerous) "
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, printable(s.Source), mark+printable(firstSentence(s.Description)))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write the list: %w", err)
	}
	return broken
}

// toolView is a tool as 'list --json' and 'show --json' print it.
type toolView struct {
	tool.Spec
	Timeout     string   `json:"timeout"`
	Permissions []string `json:"permissions"`
}

func newToolView(s tool.Spec) toolView {
	return toolView{Spec: s, Timeout: s.Timeout.String(), Permissions: s.Permissions.Words()}
}
