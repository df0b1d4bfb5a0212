package cli

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// grantAsked asks the person at the terminal to grant the permissions that a call lacked, and
// reports whether the call can now be made. It asks only if the call failed before the tool ran,
// and only for permissions that the tool asks for and nothing denies.
func (o *runOptions) grantAsked(cmd *cobra.Command, tools *registry.Registry, options standard.Options, target string, call tool.Call, failed error) bool {
	words := missingWords(failed, o.spec.Name)
	terminal := o.person(o.input == "-")
	if len(words) == 0 || o.yes || terminal == nil {
		return false
	}
	options, err := o.targetOptions(options, target)
	if err != nil {
		return false
	}
	options.Registry.Rules.Granted = slices.Concat(o.given, words)
	t := explainedTool{tools: tools, operator: options.Config, spec: o.spec, target: target}
	if t.rules, err = standard.Rules(options, tools); err != nil || t.checkGrantable(cmd, words) != nil {
		return false
	}
	offer := t.rules.GrantableFor(o.spec.Name)
	if t.rules.Extend(&offer, options.Registry.Rules.Granted...) != nil {
		return false
	}
	grant, _ := capability.Intersect(o.spec.Permissions, offer)
	permissions := strings.Join(capability.Strings(words), ", ")
	answer, err := o.askText(cmd.Context(), terminal, registry.Question{
		Tool: o.spec, Grant: grant, Why: "it needs " + permissions + ", which is not granted", Arguments: []byte(cmp.Or(string(call.Arguments), "{}")),
	}, "Grant "+oneLine(permissions)+"? [y]es for this call, [a]lways until the tool changes, [N]o: ")
	if err != nil {
		return false
	}
	switch answer {
	case "y", "yes":
		tools.SetRules(t.rules)
		o.given = options.Registry.Rules.Granted
		return true
	case "a", "always":
		given, err := t.rememberGrant(cmd.Context(), remembered.Grant{Permissions: capability.Strings(words)})
		if err != nil {
			o.warn(err)
			return false
		}
		o.printGranted(t, given, words)
		return true
	}
	return false
}

// missingWords returns the permissions that the operator can grant so that a failed call runs. It
// returns none if the call failed for another reason, or if a grant alone does not help.
func missingWords(failed error, name string) []capability.Permission {
	var e *tool.Error
	if !errors.As(failed, &e) || e.Code != tool.CodePermissionDenied || e.Tool != name || len(e.Details.Missing) == 0 || len(e.Details.Denied) > 0 {
		return nil
	}
	var words []capability.Permission
	for _, text := range e.Details.Grant {
		word, err := capability.ParsePermission(text)
		if err != nil {
			return nil
		}
		words = append(words, word)
	}
	return words
}
