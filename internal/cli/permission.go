package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/registry/policy/approvals"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func (a *app) permissionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "permission",
		Short: "Show and take back what was approved for good",
		Long: `Show and take back what was answered with "always" when a tool asked.

Such an answer is good for exactly the tool, its grant and the arguments that were
shown. What tools are granted stands in the operator's file; see docs/operator.md.`,
		Example: `  wasmtool permission list
  wasmtool permission revoke 3f2a`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.permissionListCommand(), a.permissionRevokeCommand())
	return cmd
}

func (a *app) permissionListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what was approved for good",
		Long: `List what was approved for good.

Exit status: 0.`,
		Example: "  wasmtool permission list --json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := a.listApprovals(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(append([]approvals.Approval{}, list...))
			}
			if len(list) == 0 {
				fmt.Fprintln(a.Err, "wasmtool: nothing was approved for good")
				return nil
			}
			w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
			fmt.Fprintf(w, "ID\tTOOL\tREACHES\tARGUMENTS\tSINCE\n")
			for _, approval := range list {
				arguments := "the same"
				if approval.AnyArguments {
					arguments = "any"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", oneLine(approval.ID), oneLine(approval.Tool),
					oneLine(strings.Join(approval.Grant, ", ")), arguments, approval.Created.Format("2006-01-02 15:04"))
			}
			return outputFailed(w.Flush())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func (a *app) permissionRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Take back what was approved for good",
		Long: `Take back what was approved for good, by its ID or the beginning of it. The tool asks
again the next time.

Exit status: 0; 7 when nothing has that ID.`,
		Example: "  wasmtool permission revoke 3f2a",
		Args:    oneArgument("which? 'wasmtool permission list' shows the IDs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := a.listApprovals(cmd.Context())
			if err != nil {
				return err
			}
			var found []approvals.Approval
			for _, approval := range list {
				if strings.HasPrefix(approval.ID, args[0]) {
					found = append(found, approval)
				}
			}
			switch {
			case len(found) == 0 || args[0] == "":
				return &tool.Error{Code: tool.CodeNotFound, Message: fmt.Sprintf("nothing that was approved has the ID %s; 'wasmtool permission list' shows them", quote(args[0]))}
			case len(found) > 1:
				return usage(cmd, fmt.Sprintf("%d have an ID that begins with %s; write more of it", len(found), quote(args[0])))
			}
			return a.withApprovals(func(store *approvals.File) error {
				if _, err := store.Revoke(cmd.Context(), "", found[0].ID); err != nil {
					return err
				}
				fmt.Fprintf(a.Err, "wasmtool: %s asks again\n", oneLine(found[0].Tool))
				return nil
			})
		},
	}
}
