package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) validateCommand() *cobra.Command {
	var o toolOptions
	cmd := &cobra.Command{
		Use:   "validate ./DIR|FILE.toml...",
		Short: "Check manifests and modules without running them",
		Long: `Check tools: the manifest, all faults at once with line and column; the module's
digest; whether the module compiles and needs only what wasmtool provides.
Nothing of a tool is run.

Exit status: 0 when all are good; 8 otherwise.`,
		Example: `  wasmtool validate ./my-tool
  wasmtool validate tools/*/tool.toml`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(cmd, "which tool? name its folder or its tool.toml")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.validate(cmd, o, args) },
	}
	o.addCache(cmd)
	return cmd
}

func (a *app) validate(cmd *cobra.Command, o toolOptions, targets []string) error {
	var bad error
	for _, target := range targets {
		if err := a.validateOne(cmd, o, target); err != nil {
			a.complain(err)
			bad = errSilent{err}
		}
	}
	return bad
}

func (a *app) validateOne(cmd *cobra.Command, o toolOptions, target string) error {
	if !isPath(target) {
		return usage(cmd, fmt.Sprintf("%s is no path; write ./%s for a folder", quote(target), target))
	}
	tools, name, err := a.openTarget(cmd, o, toolSet{}, target)
	if err != nil {
		return err
	}
	defer tools.Close()
	if err := tools.Prepare(cmd.Context(), name); err != nil {
		return err
	}
	spec, err := tools.Lookup(name)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Out, "%s: ok, %s %s\n", oneLine(target), spec.Name, spec.Version)
	return outputFailed(err)
}
