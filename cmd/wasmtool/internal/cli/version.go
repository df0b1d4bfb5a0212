package cli

import (
	"cmp"
	"fmt"
	goruntime "runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/runtime"
)

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Print the versions of wasmtool, of the Go toolchain that built it, and of the WASM engine.",
		Example: "  wasmtool version --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			v := readVersion()
			if asJSON {
				return a.printJSON(v)
			}
			_, err := fmt.Fprintln(a.Out, v)
			return outputFailed(err)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

type version struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Engine   string `json:"wazero"`
}

func (v version) String() string {
	return fmt.Sprintf("wasmtool %s (%s, %s, wazero %s)", v.Version, v.Go, v.Platform, v.Engine)
}

// readVersion asks the build, so that no version is written down twice.
func readVersion() version {
	v := version{
		Version: "(devel)", Go: goruntime.Version(), Platform: goruntime.GOOS + "/" + goruntime.GOARCH,
		Engine: cmp.Or(runtime.EngineVersion(), "unknown"),
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	return v
}
