package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
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
	var asJSON bool
	var tenant string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List stored grants and approvals",
		Long: `List the grants of 'wasmtool permission grant' and the approvals that were stored when a
question was answered with "always".

Exit status: 0.`,
		Example: "  wasmtool permission list --json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			stores, list, err := openDecisions(cmd.Context(), tenant)
			if err != nil {
				return err
			}
			defer closeStores(stores)
			if asJSON {
				return a.printJSON(append([]storedDecision{}, list...))
			}
			if len(list) == 0 {
				fmt.Fprintln(a.Err, "wasmtool: no grants or approvals are stored")
				return nil
			}
			w := a.table()
			fmt.Fprintf(w, "ID\tTOOL\tDECISION\tPERMISSIONS\tARGUMENTS\tSINCE\n")
			for _, k := range list {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", oneLine(k.id), oneLine(k.tool), k.kind,
					oneLine(k.reaches), oneLine(k.arguments), k.since.Format("2006-01-02 15:04"))
			}
			return outputFailed(w.Flush())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	tenantFlag(cmd, &tenant)
	return cmd
}

func newPermissionRevokeCommand(a *app) *cobra.Command {
	var asJSON bool
	var tenant string
	cmd := &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke a stored grant or approval",
		Long: `Revoke a stored grant or approval, named by its ID or the beginning of its ID. Calls that
begin afterwards can no longer use the grant or approval.

Exit status: 0; 2 if several IDs begin that way; 7 if there is no such ID.`,
		Example: "  wasmtool permission revoke 3f2a",
		Args:    oneArgument("which ID? 'wasmtool permission list' shows them"),
		RunE: func(cmd *cobra.Command, args []string) error {
			stores, list, err := openDecisions(cmd.Context(), tenant)
			if err != nil {
				return err
			}
			defer closeStores(stores)
			found := slices.DeleteFunc(list, func(d storedDecision) bool { return !strings.HasPrefix(d.id, args[0]) })
			switch {
			case len(found) == 0 || args[0] == "":
				return tool.Errorf(tool.CodeNotFound, "no grant or approval has the ID %s; 'wasmtool permission list' shows the IDs", quote(args[0]))
			case len(found) > 1:
				return usage(cmd, fmt.Sprintf("%d IDs begin with %s; write more of the ID", len(found), quote(args[0])))
			}
			revoke := stores.Approvals.Revoke
			if found[0].Grant != nil {
				revoke = stores.Grants.Revoke
			}
			if _, err := revoke(cmd.Context(), tenant, found[0].id); err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(found[0])
			}
			fmt.Fprintf(a.Err, "wasmtool: revoked the %s for %s\n", yesNo(found[0].Grant != nil, "grant", "approval"), oneLine(found[0].tool))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the revoked grant or approval as a JSON object")
	tenantFlag(cmd, &tenant)
	return cmd
}
