package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/terminal"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/standard"
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
	}, newCheckCommand(a, "policy"), newPolicyExplainCommand(a))
}

// policyExplain holds the command line of 'policy explain'.
type policyExplain struct {
	toolOptions
	input  string
	tenant string
	json   bool
}

func newPolicyExplainCommand(a *app) *cobra.Command {
	o := policyExplain{toolOptions: toolOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "explain TOOL [PERMISSION]...",
		Short: "Explain what a tool may do and which rule decides",
		Long: `Explain whether a call of a tool would run and which rule decides. If permissions
are named, explain for each of them whether the tool has it, which line grants or denies
it, and how to allow it. No tool is run. With --tenant, explain the calls of a tenant of
the operator's file.

Exit status: 0 if everything asked about is allowed; 4 otherwise; 7 if the tool does not
exist.`,
		Example: `  wasmtool policy explain write
  wasmtool policy explain grep read:workspace env:LANG
  wasmtool policy explain write --input '{"file_path":"/workspace/.env","content":""}'
  wasmtool policy explain bash --input '{"command":"ls | head; rm x"}'
  wasmtool policy explain read --tenant blue`,
		Args: someArguments("which tool? 'wasmtool list' shows them"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.explain(cmd, args[0], args[1:]) },
	}
	o.add(cmd)
	cmd.ValidArgsFunction = o.completePermissions
	cmd.Flags().StringVar(&o.input, "input", "", "explain a call with these arguments: a JSON object, @FILE to read it from a file, or - for standard input")
	cmd.Flags().StringVar(&o.tenant, "tenant", "", "explain calls of the tenant `NAME` of a server, with its entry in [tenants] and its grants")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON object; with permissions, an array with one object for each")
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
	explained, err := t.tools.Explain(cmd.Context(), t.spec.Name, o.tenant, arguments)
	if err != nil {
		return err
	}
	if len(permissions) > 0 {
		return o.explainWords(cmd, t, explained.Access.Grantable, permissions)
	}
	return o.explainCall(t, explained)
}

// granting returns the command line that grants permissions to the target, for calls of the tenant.
func (o policyExplain) granting(target string, permissions []string) string {
	if o.tenant != "" {
		permissions = slices.Concat([]string{"--tenant", o.tenant}, permissions)
	}
	return o.grantCommand(target) + shellWords(permissions)
}

// explainedTool is a tool with the rules that apply to all tools. The policy may have disabled the
// tool.
type explainedTool struct {
	tools    *registry.Registry
	operator *config.Config
	rules    registry.Rules
	spec     tool.Spec
	target   string // the tool as the command line names it
}

// openExplained opens the tool that target names and reads the rules. If target is empty, it only
// reads the rules. The caller must close the tools of the result.
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
		options.Registry.Logger = nil // the caller prints the warnings
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
	info, err := t.tools.Tools().Get(name)
	t.spec = info.Spec
	return err
}

// denied returns the error of a command that has explained why something is not allowed.
func denied() error {
	return errSilent{&tool.Error{Code: tool.CodePermissionDenied, Message: "not allowed"}}
}

// wordView is the JSON object that 'policy explain --json' prints for a permission.
type wordView struct {
	Permission string `json:"permission"`
	Allowed    bool   `json:"allowed"`
	By         string `json:"by"`
	Fix        string `json:"fix,omitempty"`     // the permission to grant
	Command    string `json:"command,omitempty"` // the command line that grants Fix
	// the change that is needed before Fix can be granted
	Obstacle string `json:"obstacle,omitempty"`
}

// explainWords prints for each permission whether it is allowed and which rule decides.
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
				view.Command = o.granting(t.target, []string{view.Fix})
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
	w := o.table()
	for _, v := range views {
		allowed := yesNo(v.Allowed, o.out(green, "allowed"), o.out(red, "not allowed"))
		fmt.Fprintf(w, "%s: %s\n  %s\n", oneLine(v.Permission), allowed, printable(v.By))
		switch {
		case v.Obstacle != "":
			fmt.Fprintf(w, "  to do first: %s\n", printable(v.Obstacle))
		case v.Fix != "":
			const indent, label = "    ", "  to allow it: "
			lines := strings.Split(printable(t.rules.AllowLines(t.spec.Name, []string{v.Fix})), "\n")
			fmt.Fprintf(w, "%s%s\n  or in the operator's file:\n", label, terminal.Command(printable(v.Command), w.Columns-len(label)))
			fmt.Fprintf(w, "%s%s\n", indent, strings.Join(lines, terminal.Verbatim+"\n"+indent)+terminal.Verbatim)
		}
	}
	return outputFailed(w.Flush())
}

// callView is the JSON object that 'policy explain --json' prints for a call.
type callView struct {
	Allowed bool `json:"allowed"`
	// Sandboxed is true if the call can access only what its permissions grant.
	Sandboxed bool `json:"sandboxed"`
	policy.Explanation
	// Shell is the decision about the script in the arguments; nil without a script.
	Shell *shellcommand.Result `json:"shell,omitempty"`
	// Script names the tool's parameter for a script, if the tool has one and the arguments do not
	// contain it. The decision also depends on the script.
	Script string `json:"script,omitempty"`
	// Missing holds the permissions that are not granted.
	Missing []string `json:"missing,omitempty"`
	// Obstacles lists the changes that are needed before the missing permissions can be granted.
	Obstacles []string `json:"obstacles,omitempty"`
	// Changed holds permissions whose grants no longer apply, because the tool has changed since.
	Changed []string `json:"changed,omitempty"`
	// Moved holds permissions whose grants no longer apply, because a mount had another directory
	// when they were granted.
	Moved []string `json:"moved,omitempty"`
	// Command is the command line that would let the call run.
	Command string `json:"command,omitempty"`
}

// explainCall prints whether a call would run and which rule decides.
func (o policyExplain) explainCall(t explainedTool, explained registry.Explained) error {
	given := explained.Access
	view := callView{
		Sandboxed: t.spec.Sandboxed, Explanation: explained.Policy, Shell: explained.Shell,
		Missing: capability.Strings(given.Missing), Changed: capability.Strings(given.Stale), Moved: capability.Strings(given.Moved),
	}
	view.Allowed = view.Effect == policy.Allow && len(given.Missing) == 0
	help := t.rules.Help(t.spec.Permissions, given.Grantable, given.Missing)
	view.Obstacles = help.Obstacles
	if helps := slices.Concat(capability.Strings(help.Grant), view.Grant); len(helps) > 0 && len(help.Obstacles) == 0 {
		view.Command = o.granting(t.target, helps)
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
	if !v.Sandboxed { // print this warning before the command that lets the call run
		text = reach + "\n" + v.String()
	}
	if len(v.Missing) > 0 {
		missing := "the call does not run; not granted: " + strings.Join(v.Missing, ", ") + "\n"
		for _, text := range v.Obstacles {
			missing += "  to do first: " + text + "\n"
		}
		if v.Effect == policy.Allow {
			text = "" // the call does not run, so do not print "allowed"
		}
		text = missing + text
	}
	if v.Shell != nil {
		text += scriptText(*v.Shell)
	}
	if v.Script != "" {
		text += fmt.Sprintf("the decision also depends on the script; to include a script, add --input '{%q: \"...\"}'\n", v.Script)
	}
	if len(v.Changed) > 0 {
		text += "these grants no longer apply, because the tool has changed: " + strings.Join(v.Changed, ", ") + "\n"
	}
	if len(v.Moved) > 0 {
		text += "these grants no longer apply, because a mount now leads to another directory: " + strings.Join(v.Moved, ", ") + "\n"
	}
	if v.Command != "" {
		text += "to grant what is missing, until the tool changes:\n"
	}
	w := o.table()
	fmt.Fprint(w, printable(text))
	if v.Command != "" {
		fmt.Fprintf(w, "  %s\n", terminal.Command(printable(v.Command), w.Columns-2))
	}
	return outputFailed(w.Flush())
}

// scriptText describes the decision about each part of a script.
func scriptText(s shellcommand.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "the script: %s%s\n", s.Effect, yesNo(s.ReadOnly, ", and the call may only read", ""))
	for _, p := range s.Parts {
		fmt.Fprintf(&b, "  %s: %s %s\n", p.Effect, p.Text, p.Why)
	}
	return b.String()
}
