package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/vendoring"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/manifests"
)

func newVendorCommand(a *app) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "vendor WHEEL|DIR|PACKAGE...",
		Short: "Copy packages of others to the script of a tool",
		Long: `Copy packages into the directory vendor next to the script of the tool in the current
directory, where the script can import them. For Python, name wheels (.whl), directories of
packages such as dist-packages/openpyxl, and modules (.py); for JavaScript, directories in
node_modules and archives of npm (.tgz). Nothing is downloaded or run. Files with native
code are left out, because they cannot run in the sandbox.

Nothing is overwritten without --force. What the packages need and what is not there is
printed.

Exit status: 0; 2 if a package cannot be used or is there already (nothing is added), or if
there is no tool with a script; 74 if the files cannot be written.`,
		Example: `  pip download --no-deps openpyxl et-xmlfile
  wasmtool vendor *.whl
  npm pack nanoid
  wasmtool vendor nanoid-*.tgz --force`,
		Args: someArguments("which packages? name wheels, archives or directories"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.Streams.vendor(cmd, args, force) },
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace packages that are there already")
	return cmd
}

func (s Streams) vendor(cmd *cobra.Command, files []string, force bool) error {
	if !isTool(here) {
		return usage(cmd, "there is no "+manifests.FileName+" here; run the command in the directory of a tool")
	}
	m, err := readManifest(here)
	if err != nil {
		return err
	}
	if m.Script.Path == "" {
		return usage(cmd, "the tool in this directory has no script; only scripts use packages in "+vendoring.Directory)
	}
	var packages []*vendoring.Package
	for _, file := range files {
		p, err := vendoring.Read(file, m.Module.Runtime == "python")
		if err != nil {
			return usage(cmd, printable(file+" "+err.Error()))
		}
		packages = append(packages, p)
	}
	there, err := vendoring.Write(filepath.FromSlash(filepath.Dir(m.Script.Path)), packages, force)
	if errors.Is(err, vendoring.ErrExists) {
		return usage(cmd, err.Error()+"; replace it with --force")
	}
	if err != nil {
		return outputFailed(err)
	}
	for _, p := range packages {
		size := 0
		for _, content := range p.Files {
			size += len(content)
		}
		if _, err := fmt.Fprintf(s.Out, "%s\t%d files, %s\n", strings.TrimSpace(p.Name+" "+oneLine(p.Version)), len(p.Files), byteCount(uint64(size))); err != nil {
			return outputFailed(err)
		}
		if len(p.Native) > 0 {
			s.printWarnings(fmt.Sprintf("%s: left out native code (%s); the package works only if it can do without", p.Name, oneLine(strings.Join(p.Native, ", "))))
		}
		if p.CommonJS {
			s.printWarnings(p.Name + " is a CommonJS package, which scripts cannot import; choose a version with ES modules")
		}
	}
	needs, may := vendoring.Missing(packages, there)
	for _, name := range needs {
		s.printWarnings("needs " + oneLine(name) + yesNo(vendoring.IsNative(name), ", which has native code and cannot run in the sandbox", ", which is not there; add it with 'wasmtool vendor'"))
	}
	if len(may) > 0 {
		s.note("parts of the packages also import %s", strings.Join(each.Of(may, func(name string) string {
			return oneLine(name) + yesNo(vendoring.IsNative(name), " (native code)", "")
		}), ", "))
	}
	return nil
}
