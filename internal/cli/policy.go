package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func (a *app) policyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Check the operator's file, and explain what it decides",
		Long: `Check the operator's file, and explain what it decides. See docs/operator.md for its
format.`,
		Example: `  wasmtool policy check
  wasmtool policy explain grep read:workspace`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.policyCheckCommand(), a.policyExplainCommand())
	return cmd
}

func (a *app) policyCheckCommand() *cobra.Command {
	var o toolOptions
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the operator's file",
		Long: `Check the operator's file: every fault is told with its line and column, and what is
probably a slip as a warning. Nothing is run.

Exit status: 0; 2 when the file cannot be used; 8 for a tool that does not load.`,
		Example: "  wasmtool policy check --config wasmtool.toml",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			operator, err := a.loadConfig(o)
			if err != nil {
				return err
			}
			_, rules, err := a.explained(o, "")
			if err != nil {
				return err
			}
			a.printWarnings(operator.Warnings())
			for _, problem := range rules.Policy.Warnings() {
				a.printWarnings([]string{problem.String()})
			}
			fmt.Fprintln(a.Err, "wasmtool: the operator's file can be used")
			return nil
		},
	}
	o.add(cmd)
	return cmd
}

func (a *app) policyExplainCommand() *cobra.Command {
	var o toolOptions
	var input string
	cmd := &cobra.Command{
		Use:   "explain TOOL [PERMISSION]...",
		Short: "Explain what a tool may do, and which line decides",
		Long: `Explain whether a call of a tool runs, and which rule decides it. With permissions,
explain whether the tool has each of them, which line gives or takes it, and how to allow
it. Nothing is run.

Exit status: 0 when all that was asked about is allowed; 4 otherwise; 7 for no such tool.`,
		Example: `  wasmtool policy explain write
  wasmtool policy explain grep read:workspace env:LANG
  wasmtool policy explain write --input '{"file_path":"/workspace/.env","content":""}'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(cmd, "which tool? 'wasmtool list' shows those there are")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments := []byte("{}")
			if input != "" {
				var err error
				if arguments, err = a.arguments(cmd, input, nil); err != nil {
					return err
				}
			}
			spec, rules, err := a.explained(o, args[0])
			if err != nil {
				return err
			}
			offer := rules.OfferTo(spec.Name)
			if len(args) > 1 {
				return a.explainWords(cmd, spec, offer, args[1:])
			}
			return a.explainCall(spec, rules, offer, arguments)
		},
	}
	o.add(cmd)
	cmd.ValidArgsFunction = a.completeTool(&o)
	cmd.Flags().StringVar(&input, "input", "", "arguments of the call as a JSON object, @FILE to read it from a file, - from standard input")
	return cmd
}

// explained finds a tool, also one that the policy takes away, and the rules of all; with
// no target it finds the rules alone.
func (a *app) explained(o toolOptions, target string) (tool.Spec, registry.Rules, error) {
	set := toolSet{workspace: workspaceDir(), onLoadError: a.warn}
	options, err := a.standardOptions(o, set)
	if err != nil {
		return tool.Spec{}, registry.Rules{}, err
	}
	if isPath(target) {
		options.NoBuiltins, options.Folders, options.Tool, options.OnLoadError = true, nil, target, nil
	}
	tools, err := standard.New(options)
	if err != nil {
		return tool.Spec{}, registry.Rules{}, err
	}
	defer tools.Close()
	rules, err := standard.Rules(options, tools)
	if err != nil || target == "" {
		return tool.Spec{}, rules, err
	}
	name := target
	if isPath(target) {
		for _, info := range tools.List(registry.Filter{Disabled: true}) {
			name = info.Name
		}
	}
	info, err := tools.Lookup(name)
	return info.Spec, rules, err
}

// denied is how a command ends that explained why something is not allowed.
func denied() error {
	return errSilent{&tool.Error{Code: tool.CodePermissionDenied, Message: "not allowed"}}
}

// explainWords tells of each permission what decides about it.
func (a *app) explainWords(cmd *cobra.Command, spec tool.Spec, offer capability.Offer, words []string) error {
	all := true
	var b strings.Builder
	for _, text := range words {
		word, err := capability.ParseWord(text)
		if err != nil {
			return usage(cmd, fmt.Sprintf("%s: %v", text, err))
		}
		e := capability.Explain(spec.Permissions, offer, word)
		fmt.Fprintf(&b, "%s: %s\n  %s\n", word, yesNo(e.Allowed, "allowed", "not allowed"), e.By)
		if e.Fix != "" {
			fmt.Fprintf(&b, "  to allow it: --allow %s, or in the operator's file\n    [tools.%s]\n    allow = [%q]\n", e.Fix, spec.Name, e.Fix)
		}
		all = all && e.Allowed
	}
	fmt.Fprint(a.Out, printable(b.String()))
	if !all {
		return denied()
	}
	return nil
}

// explainCall tells what decides about a call.
func (a *app) explainCall(spec tool.Spec, rules registry.Rules, offer capability.Offer, arguments []byte) error {
	grant, missing := capability.Intersect(spec.Permissions, offer)
	var words []string
	for _, w := range grant.Words() {
		if w.Name() != capability.ScratchMount {
			words = append(words, w.String())
		}
	}
	facts := policy.ToolFacts{Name: spec.Name, Aliases: spec.Aliases, Dangerous: spec.Dangerous}
	e := rules.Policy.Explain(facts, policy.CallFacts{Capabilities: words, Arguments: arguments})
	fmt.Fprint(a.Out, printable(e.String()))
	if len(missing) > 0 {
		fmt.Fprintf(a.Out, "but it does not run: not granted: %s\n  to grant it: %s\n", printable(strings.Join(missing, ", ")), printable(grantHint(missing)))
	}
	if e.Effect != policy.Allow || len(missing) > 0 {
		return denied()
	}
	return nil
}
