package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/openapi"
	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/pluginimport"
	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/internal/plainfile"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

func newImportCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "import",
		Short: "Make tools of what others describe",
	}, newImportOpenAPICommand(a), newImportExtismCommand(a))
}

func newImportOpenAPICommand(a *app) *cobra.Command {
	var dir, server string
	cmd := &cobra.Command{
		Use:   "openapi FILE",
		Short: "Make a tool of each operation of an OpenAPI document",
		Long: `Make a tool of each operation of an OpenAPI document (3.0 or 3.1, JSON or YAML): a
folder with a manifest that has [rest], and the schema of its parameters. Look at them
before you use them: descriptions are read by models, and are the document's.

What a manifest cannot say is told with its place: an operation that needs it is not
made, one that can do without it is made without. Nothing is fetched, and nothing is
overwritten. A secret is named after the server and the security scheme.

Exit status: 0; 2 when the file cannot be read or a folder is there already; 8 when
the document cannot be used, or an operation of it was not made (the others are made
all the same); 74 when the tools could not be written.`,
		Example: `  wasmtool import openapi petstore.yaml --dir tools
  wasmtool list --tools tools`,
		Args: oneArgument("which document? name a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Streams.importOpenAPI(cmd, args[0], dir, server)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "make the folders of the tools in `DIR`")
	cmd.Flags().StringVar(&server, "server", "", "send requests to `URL`, in place of the servers that the document names")
	return cmd
}

func (s Streams) importOpenAPI(cmd *cobra.Command, path, dir, server string) error {
	data, err := readDocument(path)
	if err != nil {
		return usage(cmd, path+" "+err.Error())
	}
	tools, refused, err := openapi.Convert(path, data, openapi.Options{Server: server})
	if err != nil {
		return (&tool.Error{Code: tool.CodeInvalidManifest, Message: err.Error()}).WithCause(err)
	}
	return s.writeTools(cmd, dir, tools, refused)
}

func newImportExtismCommand(a *app) *cobra.Command {
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
	tools, err := pluginimport.Convert(cmd.Context(), path, module, runtime.Options{CompileCommand: a.compiler})
	if err != nil {
		return (&tool.Error{Code: tool.CodeInvalidModule, Message: path + ": " + printable(err.Error())}).WithCause(err)
	}
	return a.Streams.writeTools(cmd, dir, tools, nil)
}

// writeTools writes tools that were made of something else, and tells which. refused are those
// that were not made.
func (s Streams) writeTools(cmd *cobra.Command, dir string, tools []tooldir.Tool, refused stricttoml.Errors) error {
	written, faulty, err := tooldir.Write(dir, tools)
	if errors.Is(err, tooldir.ErrExists) {
		return usage(cmd, err.Error())
	}
	for _, t := range written {
		for _, note := range t.Notes {
			s.printWarnings(note.Error())
		}
		if _, err := fmt.Fprintf(s.Out, "%s\t%s\n", filepath.ToSlash(filepath.Join(dir, t.Name)), oneLine(t.Origin)); err != nil {
			return outputFailed(err)
		}
	}
	if err != nil {
		return outputFailed(err)
	}
	if refused = append(refused, faulty...); len(refused) > 0 {
		return &tool.Error{Code: tool.CodeInvalidManifest, Message: notMade(refused, len(written))}
	}
	return nil
}

// notMade says which operations were not made, and how many were.
func notMade(refused stricttoml.Errors, made int) string {
	text := fmt.Sprintf("%d of %d tools were not made:\n", len(refused), len(refused)+made)
	if more := len(refused) - stricttoml.MaxErrors; more > 0 {
		return fmt.Sprintf("%s%s\nand %d more", text, refused[:stricttoml.MaxErrors].Error(), more)
	}
	return text + refused.Error()
}

// readDocument reads a file of which somebody else is the author. Errors are the end of a
// sentence that begins with its name.
func readDocument(path string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|plainfile.NonBlocking, 0)
	if err != nil {
		return nil, plainfile.Reason(err)
	}
	data, err := plainfile.Read(file, openapi.MaxDocumentBytes)
	return data, errors.Join(err, file.Close())
}
