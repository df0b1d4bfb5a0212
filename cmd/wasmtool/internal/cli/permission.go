package cli

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/approvals"
	"github.com/wasmtool/wasmtool/registry/policy/grants"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func (a *app) permissionCommand() *cobra.Command {
	cmd := &cobra.Command{
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
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.permissionGrantCommand(), a.permissionListCommand(), a.permissionRevokeCommand())
	return cmd
}

// tenantFlag is whose grants and approvals a command is about.
func tenantFlag(cmd *cobra.Command, tenant *string) {
	cmd.Flags().StringVar(tenant, "tenant", "", "those of the tenant `NAME` of a server, in place of those of this terminal")
}

// kept is what was approved or granted for good: one of the two.
type kept struct {
	Approval *approvals.Approval `json:"approval,omitempty"`
	Grant    *grants.Grant       `json:"grant,omitempty"`
}

func (k kept) id() string {
	if k.Grant != nil {
		return k.Grant.ID
	}
	return k.Approval.ID
}

func (k kept) tool() string {
	if k.Grant != nil {
		return k.Grant.Tool
	}
	return k.Approval.Tool
}

// row is what a list shows of it.
func (k kept) row() (kind, reaches, arguments string, since time.Time) {
	if g := k.Grant; g != nil {
		return "granted", strings.Join(grantedWords(*g), ", "), "any", g.Created
	}
	arguments = yesNo(k.Approval.AnyArguments, "any", "the same")
	if k.Approval.Pattern != "" {
		arguments = k.Approval.Pattern
	}
	return "approved", strings.Join(k.Approval.Grant, ", "), arguments, k.Approval.Created
}

// grantedWords are the words of a grant as 'permission grant' takes them.
func grantedWords(g grants.Grant) []string {
	if g.AutoExecute {
		return append([]string{policy.AutoExecute}, g.Words...)
	}
	return g.Words
}

// listKept returns all that a tenant has.
func (r remembered) listKept(ctx context.Context, tenant string) ([]kept, error) {
	var list []kept
	if r.grants != nil {
		given, err := r.grants.List(ctx, tenant)
		if err != nil {
			return nil, err
		}
		for i := range given {
			list = append(list, kept{Grant: &given[i]})
		}
	}
	if r.approvals != nil {
		said, err := r.approvals.List(ctx, tenant)
		if err != nil {
			return nil, err
		}
		for i := range said {
			list = append(list, kept{Approval: &said[i]})
		}
	}
	return list, nil
}

func (a *app) permissionListCommand() *cobra.Command {
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
			store, err := openRemembered(false)
			if err != nil {
				return err
			}
			defer store.close()
			list, err := store.listKept(cmd.Context(), tenant)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(append([]kept{}, list...))
			}
			if len(list) == 0 {
				fmt.Fprintln(a.Err, "wasmtool: nothing was granted or approved for good")
				return nil
			}
			w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
			fmt.Fprintf(w, "ID\tTOOL\tWAS\tREACHES\tARGUMENTS\tSINCE\n")
			for _, k := range list {
				kind, reaches, arguments, since := k.row()
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", oneLine(k.id()), oneLine(k.tool()), kind,
					oneLine(reaches), oneLine(arguments), since.Format("2006-01-02 15:04"))
			}
			return outputFailed(w.Flush())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	tenantFlag(cmd, &tenant)
	return cmd
}

func (a *app) permissionRevokeCommand() *cobra.Command {
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
			store, err := openRemembered(false)
			if err != nil {
				return err
			}
			defer store.close()
			list, err := store.listKept(cmd.Context(), tenant)
			if err != nil {
				return err
			}
			var found []kept
			for _, k := range list {
				if strings.HasPrefix(k.id(), args[0]) {
					found = append(found, k)
				}
			}
			switch {
			case len(found) == 0 || args[0] == "":
				return &tool.Error{Code: tool.CodeNotFound, Message: fmt.Sprintf("nothing that was granted or approved has the ID %s; 'wasmtool permission list' shows them", quote(args[0]))}
			case len(found) > 1:
				return usage(cmd, fmt.Sprintf("%d have an ID that begins with %s; write more of it", len(found), quote(args[0])))
			}
			if err := store.revoke(cmd.Context(), tenant, found[0]); err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(found[0])
			}
			fmt.Fprintf(a.Err, "wasmtool: %s %s\n", oneLine(found[0].tool()), yesNo(found[0].Grant != nil, "is granted that no more", "asks again"))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was taken back as a JSON object")
	tenantFlag(cmd, &tenant)
	return cmd
}

// revoke takes back one of listKept.
func (r remembered) revoke(ctx context.Context, tenant string, k kept) error {
	var err error
	if k.Grant != nil {
		_, err = r.grants.Revoke(ctx, tenant, k.id())
	} else {
		_, err = r.approvals.Revoke(ctx, tenant, k.id())
	}
	return err
}
