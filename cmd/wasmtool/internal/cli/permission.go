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
		Short: "Grant a tool what it asks for, list what was granted, and take it back",
		Long: `Grant a tool what it asks for, list what was granted or approved for good, and take it
back.

What is granted so is for exactly the tool that there is now: when its manifest or module
changes, it is granted nothing until you grant it again. What was answered with "always"
when a tool asked is besides for exactly the grant and the arguments that were shown. What
holds whatever a tool becomes stands in the operator's file; see docs/operator.md.`,
		Example: `  wasmtool permission grant write write:workspace
  wasmtool permission list
  wasmtool permission revoke 3f2a`,
	}, newPermissionGrantCommand(a), newPermissionListCommand(a), newPermissionRevokeCommand(a))
}

// tenantFlag is whose grants and approvals a command is about.
func tenantFlag(cmd *cobra.Command, tenant *string) {
	cmd.Flags().StringVar(tenant, "tenant", "", "those of the tenant `NAME` of a server, in place of those of this terminal")
}

// kept is what was approved or granted for good: one of the two.
type kept struct {
	Approval *remembered.Approval `json:"approval,omitempty"`
	Grant    *remembered.Grant    `json:"grant,omitempty"`

	// What a list shows of it.
	id, tool, kind, reaches, arguments string
	since                              time.Time
}

// grantedWords are the words of a grant as 'permission grant' takes them.
func grantedWords(g remembered.Grant) []string {
	if g.AutoExecute {
		return append([]string{policy.AutoExecute}, g.Words...)
	}
	return g.Words
}

// openKept opens the stores, nil where there are none, and lists all that a tenant has in them.
func openKept(ctx context.Context, tenant string) (stores *remembered.Files, list []kept, err error) {
	if stores, err = openStores(false); err != nil || stores == nil {
		return nil, nil, err
	}
	given, err := stores.Grants.List(ctx, tenant)
	if err != nil {
		return nil, nil, errors.Join(err, stores.Close())
	}
	said, err := stores.Approvals.List(ctx, tenant)
	if err != nil {
		return nil, nil, errors.Join(err, stores.Close())
	}
	for _, g := range given {
		list = append(list, kept{
			Grant: &g, id: g.ID, tool: g.Tool, kind: "granted", reaches: strings.Join(grantedWords(g), ", "), arguments: "any", since: g.Created,
		})
	}
	for _, a := range said {
		list = append(list, kept{
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
		Short: "List what was granted and approved for good",
		Long: `List what was granted with 'wasmtool permission grant', and what was approved for good
when a tool asked.

Exit status: 0.`,
		Example: "  wasmtool permission list --json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			stores, list, err := openKept(cmd.Context(), tenant)
			if err != nil {
				return err
			}
			defer closeStores(stores)
			if asJSON {
				return a.printJSON(append([]kept{}, list...))
			}
			if len(list) == 0 {
				fmt.Fprintln(a.Err, "wasmtool: nothing was granted or approved for good")
				return nil
			}
			w := a.table()
			fmt.Fprintf(w, "ID\tTOOL\tWAS\tREACHES\tARGUMENTS\tSINCE\n")
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
		Short: "Take back what was granted or approved for good",
		Long: `Take back what was granted or approved for good, by its ID or the beginning of it. Calls
that begin afterwards do not have it.

Exit status: 0; 7 when nothing has that ID.`,
		Example: "  wasmtool permission revoke 3f2a",
		Args:    oneArgument("which? 'wasmtool permission list' shows the IDs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			stores, list, err := openKept(cmd.Context(), tenant)
			if err != nil {
				return err
			}
			defer closeStores(stores)
			found := slices.DeleteFunc(list, func(k kept) bool { return !strings.HasPrefix(k.id, args[0]) })
			switch {
			case len(found) == 0 || args[0] == "":
				return tool.Errorf(tool.CodeNotFound, "nothing that was granted or approved has the ID %s; 'wasmtool permission list' shows them", quote(args[0]))
			case len(found) > 1:
				return usage(cmd, fmt.Sprintf("%d have an ID that begins with %s; write more of it", len(found), quote(args[0])))
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
			fmt.Fprintf(a.Err, "wasmtool: %s %s\n", oneLine(found[0].tool), yesNo(found[0].Grant != nil, "is granted that no more", "asks again"))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was taken back as a JSON object")
	tenantFlag(cmd, &tenant)
	return cmd
}
