package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/registry"
)

func (a *app) searchCommand() *cobra.Command {
	var o toolOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "search WORD...",
		Short: "Find tools by what they are called and do",
		Long: `Find the tools whose name, alias, tag, category, title or description holds every
word, the best first.

Exit status: 0, also when nothing is found; 8 when a tool could not be loaded.`,
		Example: `  wasmtool search files
  wasmtool search regular expression --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return usage(cmd, "which words? 'wasmtool list' shows all tools")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			query := strings.Join(args, " ")
			return a.printTools(o, asJSON, func(tools *registry.Registry) []registry.Info { return tools.Search(query) })
		},
	}
	o.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}
