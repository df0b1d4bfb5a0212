package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/docs"
	"github.com/wasmtool/wasmtool/internal/plainfile"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

func newInspectCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inspect FILE.wasm",
		Short: "Show what a WASM module imports, exports and needs",
		Long: `Show what a WASM module contains, what it was built for, and whether it can be a tool, with
the next step to make it one. The module is not run.

Exit status: 0 for a module, even if it cannot be a tool; 2 if the file cannot be read;
8 if it is not a WASM module.`,
		Example: `  wasmtool inspect my-tool/tool.wasm
  wasmtool inspect my-tool/tool.wasm --json`,
		Args: oneArgument("which module? name a .wasm file"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.Streams.inspect(cmd, args[0], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

// moduleView is the JSON object that 'inspect --json' prints.
type moduleView struct {
	SHA256  string         `json:"sha256"`
	Bytes   int            `json:"bytes"`
	Kind    string         `json:"kind"`
	ABI     string         `json:"abi,omitempty"`
	Problem string         `json:"problem,omitempty"`
	Imports []externalView `json:"imports"`
	Exports []externalView `json:"exports"`
	Memory  *memoryView    `json:"memory,omitempty"`
	Next    string         `json:"next,omitempty"`
}

type externalView struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Type string `json:"type,omitempty"`
}

type memoryView struct {
	MinBytes uint64  `json:"min_bytes"`
	MaxBytes *uint64 `json:"max_bytes,omitempty"`
}

func (s Streams) inspect(cmd *cobra.Command, path string, asJSON bool) error {
	wasm, err := readModule(cmd, path)
	if err != nil {
		return err
	}
	info, err := runtime.Inspect(wasm)
	if err != nil {
		return &tool.Error{Code: tool.CodeInvalidModule, Message: path + ": " + err.Error()}
	}
	view := newModuleView(info)
	view.Next = nextStep(info, path)
	if asJSON {
		return s.printJSON(view)
	}
	w := s.table()
	fmt.Fprintf(w, "sha256:\t%s\n", view.SHA256)
	fmt.Fprintf(w, "size:\t%s, %d functions\n", byteCount(uint64(view.Bytes)), info.Report.Functions)
	if view.Memory != nil {
		fmt.Fprintf(w, "memory:\t%s\n", view.Memory)
	}
	fmt.Fprintf(w, "kind:\t%s\n", view.Kind)
	fmt.Fprintf(w, "as a tool:\t%s\n", yesNo(view.Problem == "", view.ABI, "no: "+oneLine(view.Problem)))
	if err := w.Flush(); err != nil { // the names below have a column of their own
		return outputFailed(err)
	}
	for _, list := range []struct {
		name  string
		items []externalView
	}{{"imports", view.Imports}, {"exports", view.Exports}} {
		fmt.Fprintf(w, "%s:\t%s\n", list.name, yesNo(len(list.items) == 0, "none", ""))
		for _, item := range list.items {
			fmt.Fprintf(w, "  %s\t%s %s\n", oneLine(item.Name), item.Kind, item.Type)
		}
	}
	if view.Next != "" {
		fmt.Fprintf(w, "\nnext: %s\n", printable(view.Next))
	}
	return outputFailed(w.Flush())
}

// nextStep says how to make a tool of a module. It is empty if Info.Problem says what to do first.
func nextStep(info runtime.Info, path string) string {
	switch info.ABI {
	case runtime.Extism:
		return "wasmtool import extism " + shellWord(path)
	case runtime.Command, runtime.Reactor:
		name := strings.TrimSuffix(filepath.Base(path), ".wasm")
		return "write these lines to tool.toml in the directory of the module, then run 'wasmtool validate' with the directory\n" +
			"  manifest = 1\n  name = " + quote(tooldir.ToolName(name)) + "\n  version = \"0.1.0\"\n" +
			"  description = \"What the tool does, for people and models.\"\n  module.path = " + quote(filepath.Base(path))
	}
	if strings.HasSuffix(info.Kind, "plug-in") && strings.Contains(info.Problem, "module.entry") {
		return "wasmtool import extism " + shellWord(path) // it finds the functions by itself
	}
	return ""
}

// readModule reads a module and refuses a file that exceeds the size limit of modules.
func readModule(cmd *cobra.Command, path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|plainfile.NonBlocking, 0)
	if err != nil {
		return nil, usage(cmd, err.Error())
	}
	defer f.Close()
	data, err := plainfile.Read(f, runtime.DefaultMaxModuleBytes)
	if err != nil {
		return nil, usage(cmd, path+" "+err.Error())
	}
	return data, nil
}

func newModuleView(info runtime.Info) moduleView {
	v := moduleView{
		SHA256: info.Digest, Bytes: info.Bytes, Kind: info.Kind, ABI: string(info.ABI), Problem: info.Problem,
		Imports: []externalView{}, Exports: []externalView{},
	}
	for _, i := range info.Report.Imports {
		v.Imports = append(v.Imports, externalView{Name: i.Module + "." + i.Name, Kind: i.Kind.String(), Type: i.Signature})
	}
	for _, e := range info.Report.Exports {
		v.Exports = append(v.Exports, externalView{Name: e.Name, Kind: e.Kind.String(), Type: e.Signature})
	}
	if m := info.Report.Memory; m != nil {
		v.Memory = newMemoryView(m)
	}
	return v
}

const pageBytes = 64 << 10

func newMemoryView(l *rewrite.Limits) *memoryView {
	v := &memoryView{MinBytes: l.Min * pageBytes}
	if l.HasMax {
		v.MaxBytes = new(l.Max * pageBytes)
	}
	return v
}

func (m *memoryView) String() string {
	if m.MaxBytes == nil {
		return "at least " + byteCount(m.MinBytes)
	}
	return fmt.Sprintf("%s to %s", byteCount(m.MinBytes), byteCount(*m.MaxBytes))
}

func newValidateCommand(a *app) *cobra.Command {
	o := toolOptions{app: a}
	var asJSON, schema bool
	cmd := &cobra.Command{
		Use:   "validate [./DIR|FILE.toml]...",
		Short: "Check manifests and modules without running them",
		Long: `Check that tools can be loaded: the manifest must be valid; the module must match the
digest in the manifest, compile, and import only functions that wasmtool provides. All
errors of a manifest are reported at once, with line and column. No tool is run, except
that a script is imported, without access to anything. Without arguments, the tool in
the current directory is checked.

--schema prints the JSON Schema of manifests. Editors with Taplo, such as VS Code with Even
Better TOML, use it to complete, describe and check keys if the first line of tool.toml
names it:

  #:schema ./tool.schema.json

Exit status: 0 if all tools are valid; 2 if an argument is not a path; 8 otherwise.`,
		Example: `  wasmtool validate ./my-tool
  wasmtool validate tools/*/tool.toml --json
  wasmtool validate --schema > tool.schema.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if schema {
				return noArguments(cmd, args)
			}
			if len(args) == 0 && !isTool(here) {
				return usage(cmd, "which tool? name its directory or its tool.toml")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if schema {
				return a.printJSON(manifests.Schema(docs.Keys("manifest.md")))
			}
			return o.validate(cmd, a.orToolHere("checking", args), asJSON)
		},
	}
	o.addCache(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array with one object for each tool")
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of manifests, for editors")
	return cmd
}

// here is the path of the current directory.
const here = "."

// orToolHere returns the targets of a command line. If there are none and the current directory
// holds a tool, it returns that tool and prints a message that begins with doing.
func (s Streams) orToolHere(doing string, targets []string) []string {
	if len(targets) > 0 || !isTool(here) {
		return targets
	}
	s.note("%s the tool in this directory", doing)
	return []string{here}
}

// validView is one element of the JSON array that 'validate --json' prints.
type validView struct {
	File    string `json:"file"`
	Success bool   `json:"success"`
	// Tool and Version are empty if the manifest cannot be read.
	Tool    string      `json:"tool,omitempty"`
	Version string      `json:"version,omitempty"`
	Error   *tool.Error `json:"error"`
	Errors  []errorView `json:"errors"`
}

func (o toolOptions) validate(cmd *cobra.Command, targets []string, asJSON bool) error {
	bad := complaints{Streams: o.Streams}
	views := []validView{}
	for _, target := range targets {
		spec, err := o.validateOne(cmd, target)
		views = append(views, validView{target, err == nil, spec.Name, spec.Version, jsonError(err), errorViews(err)})
		if err != nil {
			bad.add(err)
		} else if !asJSON {
			if _, err := fmt.Fprintf(o.Out, "%s: %s, %s %s\n", oneLine(target), o.out(green, "ok"), spec.Name, spec.Version); err != nil {
				return outputFailed(err)
			}
		}
	}
	if asJSON {
		if err := o.printJSON(views); err != nil {
			return err
		}
	}
	return bad.last
}

// errorViews returns each error of a file that err contains. An err without a position is one error
// of the whole file.
func errorViews(err error) []errorView {
	views := []errorView{}
	if list, ok := errors.AsType[manifests.Errors](err); ok {
		for _, e := range list {
			views = append(views, errorView{e.File, e.Line, e.Column, e.Key, e.Message})
		}
	}
	return views
}

func (o toolOptions) validateOne(cmd *cobra.Command, target string) (tool.Spec, error) {
	if !isPath(target) {
		return tool.Spec{}, usage(cmd, fmt.Sprintf("%s is not a path; for a directory, write ./%s", quote(target), target))
	}
	options, err := o.targetOptions(standard.Options{}, target)
	if err != nil {
		return tool.Spec{}, err
	}
	// Opening a tool of an MCP server would start the server.
	if m, err := readManifest(target); err == nil && m.MCP != nil {
		return tool.Spec{Name: m.Name, Version: m.Version}, nil
	}
	from := func() (standard.Options, error) { return options, nil }
	if err := o.offerRuntimes(cmd.Context(), false, from); err != nil {
		return tool.Spec{}, err
	}
	tools, name, err := o.openTarget(cmd, standard.Options{}, target)
	if err != nil {
		return tool.Spec{}, err
	}
	defer tools.Close()
	info, err := tools.Tools().Get(name)
	if err != nil {
		return info.Spec, err
	}
	warnings, err := tools.CheckStart(cmd.Context(), name)
	for _, warning := range warnings {
		o.printWarnings(target + ": " + warning)
	}
	return info.Spec, err
}
