package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/toolchain"
	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

func newBuildCommand(a *app) *cobra.Command {
	var o buildOptions
	cmd := &cobra.Command{
		Use:   "build [DIR]",
		Short: "Build the module of a tool from its source",
		Long: `Build the module that the tool.toml in DIR names, with the compiler of the source next to it:
Go (go.mod), Rust (*.rs, or Cargo.toml), C (*.c) or AssemblyScript (*.ts). Without DIR, it is
the tool in this directory. The commands are printed, and a compiler that is missing is named
with the way to install it. If a command fails, the old module stays as it is. With --digest, the
digest of the module is written into tool.toml, which then accepts only this module.

In Go, the fields of the type that the tool's function gets are the parameters, and the type that
it returns is the result. A warning says where tool.toml differs; with --schema, it is changed.
What the types do not say stays: limits, defaults, formats. Comments become descriptions.

In AssemblyScript, the packages of package.json are installed with npm if they are missing. A
script in Python, JavaScript or TypeScript needs no build.

Exit status: 0; 1 if the compiler fails; 2 if there is no tool or no known source, or if a
compiler is missing; 8 for an invalid tool.toml, or if the result cannot be a tool; 74 if a
file cannot be written.`,
		Example: `  wasmtool build
  wasmtool build ./word-count
  wasmtool build ./word-count --schema
  wasmtool build ./word-count --digest
  wasmtool build ./mixed --lang c`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Streams.build(cmd, append(args, here)[0], o)
		},
	}
	cmd.Flags().StringVar(&o.language, "lang", "", "build the source in `LANGUAGE`, if there are several: "+strings.Join(toolchain.Names(), ", "))
	cmd.Flags().BoolVar(&o.digest, "digest", false, "write the digest of the module into tool.toml, as module.sha256")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the module as a JSON object, like 'inspect --json'")
	cmd.Flags().BoolVar(&o.schema, "schema", false, "bring [parameters] and [result] in step with the types in Go")
	completeWords(cmd, "lang", toolchain.Names())
	return cmd
}

// buildOptions are the flags of build.
type buildOptions struct {
	language             string // "" for the language of the source
	json, schema, digest bool
}

// build builds the module of the tool in a directory.
func (s Streams) build(cmd *cobra.Command, dir string, o buildOptions) error {
	if !isTool(dir) {
		return usage(cmd, "there is no "+manifests.FileName+" in "+dir+"; create a tool with 'wasmtool new NAME'")
	}
	m, err := readManifest(dir)
	if err != nil {
		return err
	}
	switch {
	case m.Script.Path != "":
		return usage(cmd, m.Script.Path+" is a script, which needs no build; run 'wasmtool test "+shellWord(dir)+"'")
	case m.Module.Path == "":
		return usage(cmd, "the tool has no program, so there is nothing to build")
	}
	l, err := toolchain.Find(dir, o.language)
	if err != nil {
		return usage(cmd, dir+": "+err.Error())
	}
	if o.schema && l.Name != "go" {
		return usage(cmd, "--schema is for tools in Go; write the schemas of "+shellWord(dir)+" in "+manifests.FileName)
	}
	if l.Name == "go" {
		if err := s.keepInStep(cmd, dir, o.schema); err != nil {
			return err
		}
	}
	out := filepath.FromSlash(m.Module.Path)
	err = l.Build(cmd.Context(), dir, out, string(m.Module.ABI) == string(runtime.Reactor), func(step toolchain.Step) {
		s.message("+ ", oneLine(step.String()))
	})
	if err != nil {
		return s.buildFailed(cmd, err)
	}
	return s.reportModule(dir, out, m, o.json, o.digest)
}

// readManifest reads the manifest of a tool. target is its directory, or the manifest.
func readManifest(target string) (*manifests.Manifest, error) {
	dir, name := target, manifests.FileName
	if strings.HasSuffix(target, ".toml") {
		dir, name = filepath.Split(target)
	}
	directory, err := manifests.OpenDirectory(cmp.Or(dir, here))
	if err != nil {
		return nil, (&tool.Error{Code: tool.CodeInvalidManifest, Message: err.Error()}).WithCause(err)
	}
	m, err := manifests.ReadUnbuilt(directory, name)
	if err = errors.Join(err, directory.Close()); err != nil {
		return nil, (&tool.Error{Code: tool.CodeInvalidManifest, Message: err.Error()}).WithCause(err)
	}
	return m, nil
}

// buildFailed returns the error of a build. What the compiler printed is shown before it.
func (s Streams) buildFailed(cmd *cobra.Command, err error) error {
	if failed, ok := errors.AsType[*toolchain.FailedError](err); ok {
		if _, err := s.Err.Write([]byte(printable(string(failed.Output)))); err != nil {
			return outputFailed(err)
		}
		return &tool.Error{Code: tool.CodeExecution, Message: failed.Error()}
	}
	switch _, missing := errors.AsType[*toolchain.MissingError](err); {
	case missing:
		return usage(cmd, err.Error())
	case errors.Is(err, context.Canceled):
		return tool.Errorf(tool.CodeCancelled, "the build was cancelled")
	}
	return outputFailed(err)
}

// reportModule says what was built, and whether it can be the module of the tool. With digest, it
// writes the digest into the manifest.
func (s Streams) reportModule(dir, module string, m *manifests.Manifest, asJSON, digest bool) error {
	path := filepath.Join(dir, module)
	wasm, err := os.ReadFile(path)
	if err != nil {
		return outputFailed(err)
	}
	info, err := runtime.Inspect(wasm)
	if err != nil {
		return &tool.Error{Code: tool.CodeInvalidModule, Message: path + ": " + err.Error()}
	}
	view := newModuleView(info)
	if asJSON {
		err = s.printJSON(view)
	} else {
		_, err = fmt.Fprintf(s.Out, "%s: %s, %s, imports %s\n", oneLine(filepath.ToSlash(path)), cmp.Or(view.ABI, view.Kind), byteCount(uint64(view.Bytes)), importedFrom(view.Imports))
	}
	switch pinned := m.Module.SHA256; {
	case err != nil:
		return outputFailed(err)
	case view.Problem != "":
		return &tool.Error{Code: tool.CodeInvalidModule, Message: path + ": " + view.Problem}
	case digest && pinned != view.SHA256:
		return outputFailed(tooldir.Pin(dir, view.SHA256))
	case pinned != "" && pinned != view.SHA256:
		s.printWarnings(fmt.Sprintf("%s pins another module; write module.sha256 = %q, or add --digest", manifests.FileName, view.SHA256))
	}
	return nil
}

// importedFrom counts the imports of each module.
func importedFrom(imports []externalView) string {
	count := make(map[string]int)
	for _, i := range imports {
		module, _, _ := strings.Cut(i.Name, ".")
		count[module]++
	}
	if len(count) == 0 {
		return "nothing"
	}
	names := slices.Sorted(maps.Keys(count))
	return strings.Join(each.Of(names, func(name string) string { return fmt.Sprintf("%d of %s", count[name], oneLine(name)) }), ", ")
}
