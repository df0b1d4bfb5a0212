package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func newPermissionCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "permission",
		Short: "Grant permissions to a tool, and list and revoke grants and approvals",
		Long: `Grant permissions to a tool, and list and revoke stored grants and approvals.

A grant is for the tool as it is now: when its manifest or module changes, the grant
no longer applies until you grant it again. An approval is stored when a question about a
call is answered with "always". It is for the tool as it is now, and only for the
permissions and the arguments that the question showed. To grant permissions that stay
when a tool changes, use the operator's file; see docs/operator.md.`,
		Example: `  wasmtool permission grant write write:workspace
  wasmtool permission list
  wasmtool permission revoke 3f2a`,
	}, newPermissionGrantCommand(a), newPermissionListCommand(a), newPermissionRevokeCommand(a))
}

// tenantFlag defines the flag that selects the tenant whose grants and approvals a command uses.
func tenantFlag(cmd *cobra.Command, tenant *string) {
	cmd.Flags().StringVar(tenant, "tenant", "", "use the grants and approvals of the tenant `NAME` of a server instead of your own")
}

// storedDecision is either a stored approval or a stored grant.
type storedDecision struct {
	Approval *remembered.Approval `json:"approval,omitempty"`
	Grant    *remembered.Grant    `json:"grant,omitempty"`

	// The columns of 'permission list'.
	id, tool, kind, reaches, arguments string
	since                              time.Time
}

// grantedWords returns the permissions of a grant in the form that 'permission grant' accepts.
func grantedWords(g remembered.Grant) []string {
	if g.AutoExecute {
		return append([]string{policy.AutoExecute}, g.Permissions...)
	}
	return g.Permissions
}

// openDecisions opens the stores and lists the grants and approvals of a tenant. stores is nil if
// nothing was ever stored.
func openDecisions(ctx context.Context, tenant string) (stores *remembered.Files, list []storedDecision, err error) {
	if stores, err = openStores(false); err != nil || stores == nil {
		return nil, nil, err
	}
	grants, err := stores.Grants.List(ctx, tenant)
	if err != nil {
		return nil, nil, errors.Join(err, stores.Close())
	}
	approvals, err := stores.Approvals.List(ctx, tenant)
	if err != nil {
		return nil, nil, errors.Join(err, stores.Close())
	}
	for _, g := range grants {
		list = append(list, storedDecision{
			Grant: &g, id: g.ID, tool: g.Tool, kind: "granted", reaches: strings.Join(grantedWords(g), ", "), arguments: "any", since: g.Created,
		})
	}
	for _, a := range approvals {
		list = append(list, storedDecision{
			Approval: &a, id: a.ID, tool: a.Tool, kind: "approved", reaches: strings.Join(a.Grant, ", "),
			arguments: cmp.Or(a.Pattern, yesNo(a.AnyArguments, "any", "the same")), since: a.Created,
		})
	}
	return stores, list, nil
}

func newPermissionListCommand(a *app) *cobra.Command {
	var format listFormat
	var tenant string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List stored grants and approvals",
		Long: `List the grants of 'wasmtool permission grant' and the approvals that were stored when a
question was answered with "always".

Exit status: 0.`,
		Example: "  wasmtool permission list --output yaml",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			stores, decisions, err := openDecisions(cmd.Context(), tenant)
			if err != nil {
				return err
			}
			defer closeStores(stores)
			l := list{
				value:  append([]storedDecision{}, decisions...),
				header: []string{"ID", "TOOL", "DECISION", "SINCE", "ARGUMENTS", "PERMISSIONS"},
				empty:  "no grants or approvals are stored",
			}
			for _, d := range decisions {
				l.names = append(l.names, d.id)
				l.rows = append(l.rows, []string{oneLine(d.id), oneLine(d.tool), d.kind, localTime(d.since), oneLine(d.arguments), oneLine(d.reaches)})
			}
			return a.printList(format, l)
		},
	}
	format.add(cmd)
	tenantFlag(cmd, &tenant)
	return cmd
}

func newPermissionRevokeCommand(a *app) *cobra.Command {
	var asJSON bool
	var tenant string
	cmd := &cobra.Command{
		Use:   "revoke ID|TOOL",
		Short: "Revoke a stored grant or approval, or all of a tool",
		Long: `Revoke a stored grant or approval, named by its ID or the beginning of its ID; or all stored
grants and approvals of a tool, named as in 'wasmtool permission list'. Calls that begin
afterwards can no longer use them.

Exit status: 0; 2 if several IDs begin that way, or an ID begins with the name of the
tool; 7 if there is no such ID or tool.`,
		Example: `  wasmtool permission revoke 3f2a
  wasmtool permission revoke write`,
		Args: oneArgument("which ID or tool? 'wasmtool permission list' shows them"),
		RunE: func(cmd *cobra.Command, args []string) error {
			stores, list, err := openDecisions(cmd.Context(), tenant)
			if err != nil {
				return err
			}
			defer closeStores(stores)
			found, ofTool, err := decisionsNamed(cmd, list, args[0])
			if err != nil {
				return err
			}
			for _, d := range found {
				revoke := stores.Approvals.Revoke
				if d.Grant != nil {
					revoke = stores.Grants.Revoke
				}
				if _, failed := revoke(cmd.Context(), tenant, d.id); failed != nil {
					err = errors.Join(err, fmt.Errorf("%s is not revoked: %w", d.id, failed))
				} else if !asJSON {
					a.note("revoked the %s %s for %s: %s",
						yesNo(d.Grant != nil, "grant", "approval"), oneLine(d.id), oneLine(d.tool), oneLine(d.reaches))
				}
			}
			switch {
			case err != nil || !asJSON:
				return err
			case ofTool:
				return a.printJSON(found)
			}
			return a.printJSON(found[0])
		},
	}
	cmd.ValidArgsFunction = completeDecision(&tenant)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the revoked grant or approval as a JSON object; for a tool, print an array of them")
	tenantFlag(cmd, &tenant)
	return cmd
}

// decisionsNamed returns the decision whose ID begins with word, or all decisions about the tool
// with this name.
func decisionsNamed(cmd *cobra.Command, list []storedDecision, word string) (found []storedDecision, ofTool bool, err error) {
	var tools []storedDecision
	for _, d := range list {
		if d.tool == word {
			tools = append(tools, d)
		}
		if word != "" && strings.HasPrefix(d.id, word) {
			found = append(found, d)
		}
	}
	switch {
	case len(found) == 0 && len(tools) == 0:
		return nil, false, tool.Errorf(tool.CodeNotFound, "no grant or approval has the ID %s, or is for a tool of that name; 'wasmtool permission list' shows the IDs and tools", quote(word))
	case len(found) == 0:
		return tools, true, nil
	case len(tools) > 0:
		return nil, false, usage(cmd, fmt.Sprintf("%s is the name of a tool, and an ID begins with it; write the ID of each grant and approval to revoke", quote(word)))
	case len(found) > 1:
		return nil, false, usage(cmd, fmt.Sprintf("%d IDs begin with %s; write more of the ID", len(found), quote(word)))
	}
	return found, false, nil
}
