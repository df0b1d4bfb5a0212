package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/standard"
)

func newListCommand(a *app) *cobra.Command {
	o := toolOptions{app: a}
	var filter catalogue.Filter
	var format listFormat
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tools",
		Long: `List the built-in tools, the tools found with --tools, and the tools and MCP servers of
the operator's file.

Exit status: 0; 8 if a tool cannot be loaded, 9 if an MCP server cannot be used (the
others are listed).`,
		Example: `  wasmtool list
  wasmtool list --category files
  wasmtool list --output name
  wasmtool list --tools ./my-tools --json`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			empty := "there are no tools"
			if filter != (catalogue.Filter{}) {
				empty = "no tool has this category and tag; see 'wasmtool list'"
			}
			return o.printTools(format, empty, func(tools *registry.Registry) []catalogue.Info { return tools.Tools().List(filter) })
		},
	}
	o.add(cmd)
	cmd.Flags().StringVar(&filter.Category, "category", "", "list only the tools of this category")
	cmd.Flags().StringVar(&filter.Tag, "tag", "", "list only the tools with this tag")
	completeFlag(cmd, "category", o.completeListed(func(info catalogue.Info) []string { return []string{info.Category} }))
	completeFlag(cmd, "tag", o.completeListed(func(info catalogue.Info) []string { return info.Tags }))
	format.add(cmd)
	return cmd
}

func newSearchCommand(a *app) *cobra.Command {
	o := toolOptions{app: a}
	var format listFormat
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
			empty := "no tool matches " + quote(query) + "; see 'wasmtool list'"
			return o.printTools(format, empty, func(tools *registry.Registry) []catalogue.Info { return tools.Tools().Search(query, 0) })
		},
	}
	o.add(cmd)
	format.add(cmd)
	return cmd
}

// printTools opens the tools and prints the tools that the function choose returns, or the message
// empty if there are none. It prints an error for each tool that does not load and continues with
// the others.
func (o toolOptions) printTools(format listFormat, empty string, choose func(*registry.Registry) []catalogue.Info) error {
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
	l := list{value: infos, header: []string{"NAME", "SOURCE", "CATEGORY", "DESCRIPTION"}, empty: empty}
	for _, s := range infos {
		// With read_only, the operator has declared that calls change nothing.
		harmless := s.Declared != nil && s.Declared.ReadOnly
		mark := yesNo(s.Dangerous && !harmless, o.out(yellow, "(dangerous)")+" ", "")
		l.names = append(l.names, s.Name)
		l.rows = append(l.rows, []string{s.Name, oneLine(s.Source), oneLine(s.Category), mark + oneLine(firstSentence(s.Description))})
	}
	return cmp.Or(o.printList(format, l), broken.last)
}

// choice is the value of a flag that accepts only certain words. It implements pflag.Value.
type choice struct {
	word    string
	allowed []string
}

// add defines the flag --name, whose default is the first of the allowed words.
func (c *choice) add(cmd *cobra.Command, persistent bool, name, use string, allowed ...string) {
	c.word, c.allowed = allowed[0], allowed
	flags := cmd.Flags()
	if persistent {
		flags = cmd.PersistentFlags()
	}
	flags.Var(c, name, use+": "+strings.Join(allowed, ", "))
	completeFlag(cmd, name, cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp))
}

// String implements pflag.Value.
func (c *choice) String() string { return c.word }

// Type implements pflag.Value.
func (c *choice) Type() string { return "string" }

// Set implements pflag.Value.
func (c *choice) Set(word string) error {
	if !slices.Contains(c.allowed, word) {
		return fmt.Errorf("write one of %s", strings.Join(c.allowed, ", "))
	}
	c.word = word
	return nil
}

// Formats of a list.
const (
	formatTable = "table"
	formatJSON  = "json"
	formatYAML  = "yaml"
	formatName  = "name"
)

// listFormat holds the flags that select the format of a list.
type listFormat struct {
	output choice
	json   bool
}

func (f *listFormat) add(cmd *cobra.Command) {
	f.output.add(cmd, false, "output", "print the list as `FORMAT`", formatTable, formatJSON, formatYAML, formatName)
	cmd.Flags().BoolVar(&f.json, "json", false, "print the list as JSON, like --output json")
}

// list is the content of a command that prints a list.
type list struct {
	value  any      // for JSON and YAML
	names  []string // one for each item
	header []string // the columns of the table
	rows   [][]string
	footer string // a line after the table; may be empty
	// empty is the message for an empty list; "" if the footer says that the list is empty.
	empty string
}

// printList prints a list in the format that the command line selects.
func (s Streams) printList(f listFormat, l list) error {
	format := f.output.word
	if f.json {
		format = formatJSON
	}
	switch format {
	case formatJSON:
		return s.printJSON(l.value)
	case formatYAML:
		return s.printYAML(l.value)
	}
	if len(l.names) == 0 && l.empty != "" {
		s.note("%s", l.empty)
	}
	w := s.table(l.header...)
	if format == formatName {
		w.Columns = 0 // a name is never wrapped
		for _, name := range l.names {
			fmt.Fprintln(w, oneLine(name))
		}
		return outputFailed(w.Flush())
	}
	for _, row := range l.rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	if l.footer != "" {
		fmt.Fprintln(w, l.footer)
	}
	return outputFailed(w.Flush())
}

// printYAML prints a value as YAML with the keys and numbers that printJSON prints.
func (s Streams) printYAML(v any) error {
	text, err := plainjson.Encode(v)
	if err != nil {
		return fmt.Errorf("the result cannot be printed as YAML: %w", err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil { // JSON is YAML
		return fmt.Errorf("the result cannot be printed as YAML: %w", err)
	}
	restyle(&document)
	var b bytes.Buffer
	dumper, err := yaml.NewDumper(&b, yaml.WithIndent(2), yaml.WithLineWidth(-1))
	if err == nil {
		err = dumper.Dump(&document)
	}
	if err == nil {
		err = dumper.Close()
	}
	if err != nil {
		return fmt.Errorf("the result cannot be printed as YAML: %w", err)
	}
	_, err = s.Out.Write([]byte(plaintext.Replace(b.String(), plaintext.Lines, func(f plaintext.Finding) string {
		return fmt.Sprintf(`\U%08x`, f.Rune)
	})))
	return outputFailed(err)
}

// restyle replaces the style of JSON with the style of YAML. Strings with characters that must be
// escaped keep their double quotes, because only these allow escapes.
func restyle(n *yaml.Node) {
	if n.Kind != yaml.ScalarNode {
		n.Style = 0
	} else if n.Tag == "!!str" && plaintext.Plain(n.Value, plaintext.Lines) {
		n.Style = 0
		if strings.Contains(n.Value, "\n") {
			n.Style = yaml.LiteralStyle
		}
	}
	for _, child := range n.Content {
		restyle(child)
	}
}
