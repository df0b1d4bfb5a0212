package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// permissionGrant holds the command line of 'permission grant'.
type permissionGrant struct {
	toolOptions
	tenant string
	json   bool

	words       []capability.Permission
	autoExecute bool
}

func newPermissionGrantCommand(a *app) *cobra.Command {
	o := permissionGrant{toolOptions: toolOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "grant TOOL PERMISSION...",
		Short: "Grant permissions to a tool as it is now",
		Long: `Grant permissions to a tool until you revoke them. TOOL is named as for 'wasmtool run'. A
PERMISSION is, for example, write:workspace, net:https://api.github.com, env:LANG,
secret:TOKEN or kv:write. The error of a refused call names the permissions that it
lacks.

A grant is for the tool as it is now: when its manifest or module changes, the grant
no longer applies. Calls that need only granted permissions run without approval, unless
the tool is dangerous. The permission auto_execute lets every call of the tool run
without approval, even if the tool is dangerous. Rules of the operator's file that deny
or ask still apply.

Exit status: 0; 2 if the tool does not ask for the permission; 4 if the operator's file
denies it; 7 if the tool does not exist; 8 if the tool cannot be loaded.`,
		Example: `  wasmtool permission grant write write:workspace
  wasmtool permission grant ./issues net:https://api.github.com/ secret:GITHUB_TOKEN
  wasmtool permission grant ./deploy auto_execute`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return usage(cmd, "which tool, and which permissions? 'wasmtool show TOOL' shows what it asks for")
			case 1:
				return usage(cmd, "which permissions? 'wasmtool show "+shellWord(args[0])+"' shows what it asks for")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.parse(cmd, args[1:]); err != nil {
				return err
			}
			return o.grant(cmd, args[0])
		},
	}
	o.add(cmd)
	cmd.ValidArgsFunction = o.completePermissions
	tenantFlag(cmd, &o.tenant)
	cmd.Flags().BoolVar(&o.json, "json", false, "print all stored grants of the tool as a JSON object")
	return cmd
}

func (o *permissionGrant) parse(cmd *cobra.Command, permissions []string) error {
	for _, text := range permissions {
		if text == policy.AutoExecute {
			o.autoExecute = true
			continue
		}
		word, err := capability.ParsePermission(text)
		if err != nil {
			return usage(cmd, fmt.Sprintf("%s: %v", text, err))
		}
		o.words = append(o.words, word)
	}
	return nil
}

func (o *permissionGrant) grant(cmd *cobra.Command, target string) error {
	t, err := o.openExplained(target, nil)
	if err != nil {
		return err
	}
	defer t.tools.Close()
	if err := t.checkGrantable(cmd, o.words); err != nil {
		return err
	}
	given, err := t.rememberGrant(cmd.Context(), remembered.Grant{Tenant: o.tenant, Permissions: capability.Strings(o.words), AutoExecute: o.autoExecute})
	if err != nil {
		return err
	}
	if o.json {
		return o.printJSON(given)
	}
	o.printGranted(t, given, o.words)
	return nil
}

// printGranted reports a stored grant, and what it allows.
func (s Streams) printGranted(t explainedTool, given remembered.Grant, words []capability.Permission) {
	named := strings.TrimSpace(t.spec.Name + " " + t.spec.Version)
	fmt.Fprintf(s.Err, "wasmtool: granted to %s as it is now: %s\n", oneLine(named), oneLine(strings.Join(grantedWords(given), ", ")))
	if !t.spec.Sandboxed {
		fmt.Fprintf(s.Err, "  %s\n", tool.OutsideSandbox)
	}
	for _, flag := range capability.Broad(words...) {
		fmt.Fprintf(s.Err, "  %s: it %s\n", oneLine(flag.Permission.String()), oneLine(flag.Why))
	}
	if t.spec.Shell != "" && !t.rules.Shell.Unconfirmed {
		fmt.Fprintln(s.Err, "  approval is still needed for scripts that do more than read files, unless [shell] in the operator's file allows their commands")
	}
	fmt.Fprintf(s.Err, "  to revoke it: wasmtool permission revoke %s\n", given.ID)
}

// rememberGrant adds a grant to the tool as it is now to the store, and returns everything that the
// store now grants to the tool.
func (t explainedTool) rememberGrant(ctx context.Context, g remembered.Grant) (given remembered.Grant, err error) {
	g.Tool = t.spec.Name
	if g.Digest, err = t.tools.Digest(ctx, g.Tool); err != nil {
		return given, err
	}
	if g.Directories, err = t.tools.Directories(ctx, g.Tool, g.Tenant); err != nil {
		return given, err
	}
	stores, err := openStores(true)
	if err != nil {
		return given, err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	given, err = stores.Grants.Remember(ctx, g)
	if err != nil {
		return given, (&tool.Error{Code: tool.CodePermissionDenied, Tool: g.Tool, Message: err.Error()}).WithCause(err)
	}
	return given, nil
}

// checkGrantable refuses permissions that would have no effect: the tool does not ask for them, or
// the operator's file denies them.
func (t explainedTool) checkGrantable(cmd *cobra.Command, words []capability.Permission) error {
	offer := t.rules.GrantableFor(t.spec.Name)
	for _, word := range words {
		if !asks(t.spec.Permissions, word) {
			return usage(cmd, fmt.Sprintf("%s: %s does not ask for it; it asks for %s", word, t.spec.Name, t.spec.Permissions))
		}
		if readsOnly(t.spec.Permissions, word) {
			return usage(cmd, fmt.Sprintf("%s: %s asks only to read; it asks for %s", word, t.spec.Name, t.spec.Permissions))
		}
		if denial, denied := offer.Deny.Takes(word); denied {
			return &tool.Error{
				Code: tool.CodePermissionDenied, Tool: t.spec.Name,
				Message: fmt.Sprintf("%s is denied by %s in the operator's file, and a grant cannot override a denial%s", word, denial, where(offer.Lines[denial])),
			}
		}
		// The directory of a mount is known only when a call is made.
		isMount := word.Kind() == capability.KindRead || word.Kind() == capability.KindWrite
		if err := t.rules.Extend(&offer, word); err != nil && !isMount {
			return usage(cmd, err.Error())
		}
	}
	return nil
}

// readsOnly reports whether w grants writing to something that the tool asks only to read. Such a
// grant has no effect, but the operator would see it in lists and think that the tool can write.
func readsOnly(p capability.Permissions, w capability.Permission) bool {
	writes := w.Kind() == capability.KindWrite || w.Kind() == capability.KindKV && w.Name() == capability.ModeWrite.String()
	return writes && !slices.Contains(p.List(), w)
}

// where returns the end of a message: ": " and the place of a setting, such as "file:line". It
// returns "" if line is empty.
func where(line string) string {
	if line == "" {
		return ""
	}
	return ": " + line
}
