package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/standard"
)

func newListCommand(a *app) *cobra.Command {
	o := toolOptions{app: a}
	var filter catalogue.Filter
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tools",
		Long: `List the built-in tools, the tools found with --tools, and the tools and MCP servers of
the operator's file.

Exit status: 0; 8 if a tool cannot be loaded, 9 if an MCP server cannot be used (the
others are listed).`,
		Example: `  wasmtool list
  wasmtool list --category files
  wasmtool list --tools ./my-tools --json`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			return o.printTools(asJSON, func(tools *registry.Registry) []catalogue.Info { return tools.Tools().List(filter) })
		},
	}
	o.add(cmd)
	cmd.Flags().StringVar(&filter.Category, "category", "", "list only the tools of this category")
	cmd.Flags().StringVar(&filter.Tag, "tag", "", "list only the tools with this tag")
	completeFlag(cmd, "category", o.completeListed(func(info catalogue.Info) []string { return []string{info.Category} }))
	completeFlag(cmd, "tag", o.completeListed(func(info catalogue.Info) []string { return info.Tags }))
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func newSearchCommand(a *app) *cobra.Command {
	o := toolOptions{app: a}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "search WORD...",
		Short: "Find tools by name and description",
		Long: `Find the tools whose name, alias, tag, category, title or description contains every
word. The best match comes first.

Exit status: 0, also when nothing is found; 8 if a tool cannot be loaded.`,
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
			return o.printTools(asJSON, func(tools *registry.Registry) []catalogue.Info { return tools.Tools().Search(query, 0) })
		},
	}
	o.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

// printTools opens the tools and prints the tools that the function choose returns. It prints an
// error for each tool that does not load and continues with the others.
func (o toolOptions) printTools(asJSON bool, choose func(*registry.Registry) []catalogue.Info) error {
	broken := complaints{Streams: o.Streams}
	options, err := o.standardOptions(standard.Options{Sources: standard.Sources{OnLoadError: broken.add}})
	if err != nil {
		return err
	}
	o.startServers(&options)
	tools, err := standard.New(options)
	if err != nil {
		return err
	}
	defer tools.Close()
	infos := choose(tools)
	if asJSON {
		return cmp.Or(o.printJSON(infos), broken.last)
	}
	w := o.table()
	for _, s := range infos {
		mark := yesNo(s.Dangerous, "(dangerous) ", "")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.Name, oneLine(s.Source), oneLine(s.Category), mark+oneLine(firstSentence(s.Description)))
	}
	return cmp.Or(outputFailed(w.Flush()), broken.last)
}
