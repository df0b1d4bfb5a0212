package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// policyExplain is a command line of 'policy explain'.
type policyExplain struct {
	toolOptions
	input string
	json  bool
}

func newPolicyExplainCommand(a *app) *cobra.Command {
	o := policyExplain{toolOptions: toolOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "explain TOOL [PERMISSION]...",
		Short: "Explain what a tool may do, and which line decides",
		Long: `Explain whether a call of a tool runs, and which rule decides it. With permissions,
explain whether the tool has each of them, which line gives or takes it, and how to allow
it. Nothing is run.

Exit status: 0 when all that was asked about is allowed; 4 otherwise; 7 for no such tool.`,
		Example: `  wasmtool policy explain write
  wasmtool policy explain grep read:workspace env:LANG
  wasmtool policy explain write --input '{"file_path":"/workspace/.env","content":""}'
  wasmtool policy explain bash --input '{"command":"ls | head; rm x"}'`,
		Args: someArguments("which tool? 'wasmtool list' shows those there are"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.explain(cmd, args[0], args[1:]) },
	}
	o.add(cmd)
	cmd.ValidArgsFunction = o.completeTool
	cmd.Flags().StringVar(&o.input, "input", "", "arguments of the call as a JSON object, @FILE to read it from a file, - from standard input")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON object; with permissions, an array of one for each")
	return cmd
}

func (o policyExplain) explain(cmd *cobra.Command, target string, permissions []string) error {
	arguments := []byte("{}")
	if o.input != "" {
		var err error
		if arguments, err = o.arguments(cmd, o.input, nil); err != nil {
			return err
		}
	}
	stores, err := openStores(false)
	if err != nil {
		return err
	}
	defer closeStores(stores)
	t, err := o.openExplained(target, stores)
	if err != nil {
		return err
	}
	defer t.tools.Close()
	explained, err := t.tools.Explain(cmd.Context(), t.spec.Name, "", arguments)
	if err != nil {
		return err
	}
	if len(permissions) > 0 {
		return o.explainWords(cmd, t, explained.Offered.Grantable, permissions)
	}
	return o.explainCall(t, explained)
}

// explainedTool is a tool, also one that the policy takes away, with the rules of all.
type explainedTool struct {
	tools    *registry.Registry
	operator *config.Config
	rules    registry.Rules
	spec     tool.Spec
	target   string // as the command line names it
}

// openExplained finds a tool and the rules of all; with no target the rules alone. The
// caller closes its tools.
func (o toolOptions) openExplained(target string, stores *remembered.Files) (explainedTool, error) {
	t := explainedTool{target: target}
	options := standard.Options{Workspace: workspaceDir()}
	options.Registry.Approvals = approvals(nil, stores)
	options, err := o.targetOptions(options, target)
	if err != nil {
		return t, err
	}
	t.operator = options.Config
	if target == "" {
		options.Registry.Logger = nil // the caller tells the warnings
	}
	if t.tools, err = standard.New(options); err != nil {
		return t, err
	}
	if t.rules, err = standard.Rules(options, t.tools); err == nil && target != "" {
		err = t.find()
	}
	if err != nil {
		return t, errors.Join(err, t.tools.Close())
	}
	return t, nil
}

func (t *explainedTool) find() error {
	name, err := nameOf(t.target, t.tools)
	if err != nil {
		return err
	}
	info, err := t.tools.Tools().Lookup(name)
	t.spec = info.Spec
	return err
}

// denied is how a command ends that explained why something is not allowed.
func denied() error {
	return errSilent{&tool.Error{Code: tool.CodePermissionDenied, Message: "not allowed"}}
}

// wordView is what 'policy explain --json' prints of a permission.
type wordView struct {
	Permission string `json:"permission"`
	Allowed    bool   `json:"allowed"`
	By         string `json:"by"`
	// Fix is the word that would allow it, and Command grants it; Obstacle is what has to be
	// done first.
	Fix      string `json:"fix,omitempty"`
	Command  string `json:"command,omitempty"`
	Obstacle string `json:"obstacle,omitempty"`
}

// explainWords tells of each permission what decides about it.
func (o policyExplain) explainWords(cmd *cobra.Command, t explainedTool, offer capability.Grantable, permissions []string) error {
	all := true
	views := []wordView{}
	for _, text := range permissions {
		word, err := capability.ParsePermission(text)
		if err != nil {
			return usage(cmd, fmt.Sprintf("%s: %v", text, err))
		}
		e := capability.Explain(t.spec.Permissions, offer, word)
		view := wordView{Permission: word.String(), Allowed: e.Allowed, By: e.By, Fix: e.Fix.String()}
		if !e.Fix.IsZero() {
			help := t.rules.Help(t.spec.Permissions, offer, []capability.Permission{word})
			if view.Obstacle = strings.Join(help.Obstacles, "\n"); view.Obstacle == "" {
				view.Command = o.grantCommand(t.target) + shellWords([]string{view.Fix})
			}
		}
		views = append(views, view)
		all = all && e.Allowed
	}
	if err := o.printWords(t, views); err != nil || all {
		return err
	}
	return denied()
}

func (o policyExplain) printWords(t explainedTool, views []wordView) error {
	if o.json {
		return o.printJSON(views)
	}
	var b strings.Builder
	for _, v := range views {
		fmt.Fprintf(&b, "%s: %s\n  %s\n", v.Permission, yesNo(v.Allowed, "allowed", "not allowed"), v.By)
		switch {
		case v.Obstacle != "":
			fmt.Fprintf(&b, "  what stands in the way: %s\n", v.Obstacle)
		case v.Fix != "":
			fmt.Fprintf(&b, "  to allow it: %s\n  or in the operator's file:\n    %s\n",
				v.Command, strings.ReplaceAll(t.rules.AllowLines(t.spec.Name, []string{v.Fix}), "\n", "\n    "))
		}
	}
	_, err := fmt.Fprint(o.Out, printable(b.String()))
	return outputFailed(err)
}

// callView is what 'policy explain --json' prints of a call.
type callView struct {
	Allowed bool `json:"allowed"`
	// Sandboxed tells whether what is granted bounds what the call can reach.
	Sandboxed bool `json:"sandboxed"`
	policy.Explanation
	// Shell is what the script in the arguments comes to.
	Shell *shellcommand.Result `json:"shell,omitempty"`
	// Script is the parameter for a script, which decides, too, where none was given.
	Script string `json:"script,omitempty"`
	// Missing is what is not granted.
	Missing []string `json:"missing,omitempty"`
	// Obstacles are what stands in the way of granting it.
	Obstacles []string `json:"obstacles,omitempty"`
	// Changed is what was granted to the tool as it was before it changed.
	Changed []string `json:"changed,omitempty"`
	// Moved is what was granted when a mount led to another directory.
	Moved []string `json:"moved,omitempty"`
	// Command would let it run.
	Command string `json:"command,omitempty"`
}

// explainCall tells what decides about a call.
func (o policyExplain) explainCall(t explainedTool, explained registry.Explained) error {
	given := explained.Offered
	view := callView{
		Sandboxed: t.spec.Sandboxed, Explanation: explained.Policy, Shell: explained.Shell,
		Missing: capability.Strings(given.Missing), Changed: capability.Strings(given.Stale), Moved: capability.Strings(given.Moved),
	}
	view.Allowed = view.Effect == policy.Allow && len(given.Missing) == 0
	help := t.rules.Help(t.spec.Permissions, given.Grantable, given.Missing)
	view.Obstacles = help.Obstacles
	if helps := slices.Concat(capability.Strings(help.Grant), view.Grant); len(helps) > 0 && len(help.Obstacles) == 0 {
		view.Command = o.grantCommand(t.target) + shellWords(helps)
	}
	if t.spec.Shell != "" && view.Shell == nil {
		view.Script = t.spec.Shell
	}
	if err := o.printCall(view, t.spec.Reach(given.Grant.Describe(true))); err != nil || view.Allowed {
		return err
	}
	return denied()
}

func (o policyExplain) printCall(v callView, reach string) error {
	if o.json {
		return o.printJSON(v)
	}
	text := v.String() + reach + "\n"
	if !v.Sandboxed { // before what would let it run
		text = reach + "\n" + v.String()
	}
	if len(v.Missing) > 0 {
		missing := "it does not run: not granted: " + strings.Join(v.Missing, ", ") + "\n"
		for _, text := range v.Obstacles {
			missing += "  what stands in the way: " + text + "\n"
		}
		if v.Effect == policy.Allow {
			text = "" // that a call which does not run is allowed would only mislead
		}
		text = missing + text
	}
	if v.Shell != nil {
		text += scriptText(*v.Shell)
	}
	if v.Script != "" {
		text += fmt.Sprintf("what its script does decides, too: give one with --input '{%q: \"...\"}'\n", v.Script)
	}
	if len(v.Changed) > 0 {
		text += "the tool is not the one that this was granted to: " + strings.Join(v.Changed, ", ") + "\n"
	}
	if len(v.Moved) > 0 {
		text += "these grants have no effect, since a mount leads to another directory now: " + strings.Join(v.Moved, ", ") + "\n"
	}
	if v.Command != "" {
		text += "to grant it to the tool as it is:\n  " + v.Command + "\n"
	}
	_, err := fmt.Fprint(o.Out, printable(text))
	return outputFailed(err)
}

// scriptText tells what each part of a script comes to.
func scriptText(s shellcommand.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "the script: %s%s\n", s.Effect, yesNo(s.ReadOnly, ", and the call may only read", ""))
	for _, p := range s.Parts {
		fmt.Fprintf(&b, "  %s: %s %s\n", p.Effect, p.Text, p.Why)
	}
	return b.String()
}
