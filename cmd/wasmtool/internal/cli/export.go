package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/llm"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// exportOptions holds the flags of 'export'.
type exportOptions struct {
	toolOptions
	format  string
	strict  bool
	callers []string
	defers  bool
}

func newExportCommand(a *app) *cobra.Command {
	o := exportOptions{toolOptions: toolOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "export --format FORMAT [NAME...|./DIR|FILE.toml]",
		Short: "Print tool definitions for the API of a model provider",
		Long: `Print the definitions of the named tools, or of all tools, in the format of the field
"tools" of a request to a model provider: ` + formatNames() + `.

Providers accept subsets of JSON Schema. Each part of a tool's schema that the definition
cannot express is reported on standard error, one line each: the place in the schema, the
change, the reason, and whether the definition allows more than the tool accepts (wider)
or less (narrower). Calls are still checked against the tool's own schema.

Exit status: 0, also when a schema was changed; 2 for an unknown format; 7 if a tool does
not exist or is switched off; 8 if a tool cannot be loaded (the others are printed).`,
		Example: `  wasmtool export --format anthropic
  wasmtool export --format openai --strict grep read
  wasmtool export --format anthropic --allowed-callers direct,code_execution_20260120
  wasmtool export --format gemini ./my-tool`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.format == "" {
				return usage(cmd, "the flag --format is missing; it accepts "+formatNames())
			}
			format, err := llm.ParseFormat(o.format)
			if err != nil {
				return usage(cmd, err.Error())
			}
			return o.export(cmd, format, args)
		},
	}
	o.add(cmd)
	cmd.Flags().StringVar(&o.format, "format", "", "print definitions in the `FORMAT` of a provider: "+formatNames())
	cmd.Flags().BoolVar(&o.strict, "strict", false, "ask the provider to enforce the schemas, where it can (openai, openai-responses, anthropic)")
	cmd.Flags().StringSliceVar(&o.callers, "allowed-callers", nil, "let these `CALLERS` call the tools, separated by commas: direct, and code execution tools (anthropic)")
	cmd.Flags().BoolVar(&o.defers, "defer-loading", false, "let the model search for the tools, with a search tool of the provider in the request (anthropic, openai-responses)")
	cmd.ValidArgsFunction = o.completeTools
	completeWords(cmd, "format", each.Of(llm.Formats(), func(f llm.Format) string { return string(f) }))
	return cmd
}

func formatNames() string {
	names := each.Of(llm.Formats(), func(f llm.Format) string { return string(f) })
	return strings.Join(names, ", ")
}

func (o exportOptions) export(cmd *cobra.Command, format llm.Format, targets []string) error {
	broken := complaints{Streams: o.Streams}
	infos, closeTools, err := o.toolsNamed(cmd, targets, broken.add)
	if err != nil {
		return err
	}
	defer closeTools()
	definitions, err := llm.New(format, infos, llm.Options{
		Strict:         o.strict,
		AllowedCallers: func(tool.Spec) []string { return o.callers },
		DeferLoading:   func(tool.Spec) bool { return o.defers },
	})
	if err != nil {
		return &tool.Error{Code: tool.CodeInvalidManifest, Message: err.Error()}
	}
	for _, loss := range definitions.Losses() {
		o.note("%s", printable(loss.String()))
	}
	return cmp.Or(o.printJSON(definitions.Definitions()), broken.last)
}

// toolsNamed opens the tools that a command line names, or all tools if it names none. It passes
// the errors of tools that do not load to onLoadError. The returned function closes the tools.
func (o toolOptions) toolsNamed(cmd *cobra.Command, targets []string, onLoadError func(error)) ([]catalogue.Info, func() error, error) {
	var tools *registry.Registry
	var err error
	names := targets
	switch {
	case len(targets) == 1 && isPath(targets[0]):
		names = make([]string, 1)
		tools, names[0], err = o.openTarget(cmd, standard.Options{}, targets[0])
	case slices.ContainsFunc(targets, isPath):
		return nil, nil, usage(cmd, "a path must be the only argument; to combine it with other tools, load its directory with --tools")
	default:
		var options standard.Options
		if options, err = o.standardOptions(standard.Options{Sources: standard.Sources{OnLoadError: onLoadError}}); err == nil {
			o.startServers(&options, targets...)
			tools, err = standard.New(options)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	infos := tools.Tools().List(catalogue.Filter{})
	if len(names) > 0 {
		infos, err = enabled(tools, names)
	}
	if err != nil {
		_ = tools.Close() // no tool was used, so the error does not matter
		return nil, nil, err
	}
	return infos, tools.Close, nil
}

// enabled returns the tools with these names, or an error if one of them is switched off.
func enabled(tools *registry.Registry, names []string) ([]catalogue.Info, error) {
	infos, err := tools.Tools().Resolve(names...)
	for _, info := range infos {
		if info.Disabled {
			return nil, &tool.Error{Code: tool.CodeDisabled, Tool: info.Name, Message: "the tool is switched off"}
		}
	}
	return infos, err
}
