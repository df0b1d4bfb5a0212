package cli

import (
	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/openapi"
	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/pluginimport"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

func (a *app) importExtismCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "extism FILE.wasm",
		Short: "Make tools of an Extism plug-in",
		Long: `Make tools of an Extism plug-in: a folder for each with a manifest, the schema of its
parameters and the plug-in. One that describes tools, as servlets of mcp.run and plug-ins
of hyper-mcp do, is asked for them: it runs once, with nothing granted. Of any other each
function that can be called is a tool with one parameter, "input".

Look at the manifests before you use them: descriptions are read by models, and are the
plug-in's. No permissions are asked for, because no plug-in tells what it needs. Nothing
is fetched, and nothing is overwritten.

Exit status: 0; 2 when the file cannot be read or a folder is there already; 8 when it is
no plug-in that can be used, or a tool of it was not made (the others are made all the
same); 74 when the tools could not be written.`,
		Example: `  wasmtool import extism greet.wasm --dir tools
  wasmtool list --tools tools`,
		Args: oneArgument("which plug-in? name a .wasm file"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.importExtism(cmd, args[0], dir) },
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "make the folders of the tools in `DIR`")
	return cmd
}

func (a *app) importExtism(cmd *cobra.Command, path, dir string) error {
	module, err := readModule(cmd, path)
	if err != nil {
		return err
	}
	found, err := pluginimport.Tools(cmd.Context(), module, runtime.Options{CompileCommand: a.compiler})
	if err != nil {
		return (&tool.Error{Code: tool.CodeInvalidModule, Message: path + ": " + printable(err.Error())}).WithCause(err)
	}
	texts := make([]string, len(found))
	for i, t := range found {
		texts[i] = t.Name
	}
	var tools []openapi.Tool
	for i, name := range openapi.ToolNames(texts) {
		at := stricttoml.Error{File: path, Key: found[i].Name}
		manifest, err := found[i].Manifest(name, openapi.SchemaFile)
		if err != nil {
			return outputFailed(err)
		}
		var notes stricttoml.Errors
		for _, what := range found[i].Cleaned {
			note := at
			note.Message = what
			notes = append(notes, &note)
		}
		tools = append(tools, openapi.Tool{
			Name: name, Notes: notes, Operation: found[i].Name, Manifest: manifest, Schema: found[i].Schema,
			Module: module, ModuleFile: pluginimport.ModuleFile, At: at,
		})
	}
	return a.writeTools(cmd, dir, tools, nil)
}
