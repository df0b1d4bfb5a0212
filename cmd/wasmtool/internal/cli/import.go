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
		Short: "Create tools from OpenAPI documents and Extism plug-ins",
	}, newImportOpenAPICommand(a), newImportExtismCommand(a))
}

func newImportOpenAPICommand(a *app) *cobra.Command {
	var dir, server string
	cmd := &cobra.Command{
		Use:   "openapi FILE",
		Short: "Create a tool from each operation of an OpenAPI document",
		Long: `Create a tool from each operation of an OpenAPI document (3.0 or 3.1, JSON or YAML). A
tool is a directory with two files: a manifest with a [rest] table, and the schema of the
parameters. Review the tools before you use them: models read their descriptions, which
come from the document.

Each part of an operation that a manifest cannot express is reported with its place in
the document. If the part is optional, the tool is created without it; otherwise the
tool is not created. Nothing is fetched, and nothing is overwritten. Secrets are named
after the server and the security scheme.

Exit status: 0; 2 if the file cannot be read or a directory already exists; 8 if the
document cannot be used or a tool could not be created (the others are created); 74 if
the tools could not be written.`,
		Example: `  wasmtool import openapi petstore.yaml --dir tools
  wasmtool list --tools tools`,
		Args: oneArgument("which document? name a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Streams.importOpenAPI(cmd, args[0], dir, server)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "create the directories of the tools in `DIR`")
	cmd.Flags().StringVar(&server, "server", "", "send requests to `URL` instead of the servers that the document names")
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
		Short: "Create tools from an Extism plug-in",
		Long: `Create tools from an Extism plug-in. Each tool is a directory with a manifest, the schema
of its parameters and a copy of the plug-in. A plug-in that describes its tools, as
servlets of mcp.run and plug-ins of hyper-mcp do, is run once, without any permissions,
to get the descriptions. For any other plug-in, each function that can be called becomes
a tool with one parameter, "input".

Review the manifests before you use them: models read their descriptions, which come from
the plug-in. The manifests ask for no permissions, because a plug-in does not declare
what it needs. Nothing is fetched, and nothing is overwritten.

Exit status: 0; 2 if the file cannot be read or a directory already exists; 8 if the file
is not a usable plug-in or a tool could not be created (the others are created); 74 if
the tools could not be written.`,
		Example: `  wasmtool import extism greet.wasm --dir tools
  wasmtool list --tools tools`,
		Args: oneArgument("which plug-in? name a .wasm file"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.importExtism(cmd, args[0], dir) },
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "create the directories of the tools in `DIR`")
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

// writeTools writes imported tools to directories in dir and prints a line for each. refused holds
// the errors of the tools that could not be created.
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

// notMade returns the message that lists the tools that were not created. made is the number of
// tools that were created.
func notMade(refused stricttoml.Errors, made int) string {
	text := fmt.Sprintf("%d of %d tools were not created:\n", len(refused), len(refused)+made)
	if more := len(refused) - stricttoml.MaxErrors; more > 0 {
		return fmt.Sprintf("%s%s\nand %d more", text, refused[:stricttoml.MaxErrors].Error(), more)
	}
	return text + refused.Error()
}

// readDocument reads an untrusted file. Its errors do not contain the name of the file, which the
// caller adds in front.
func readDocument(path string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|plainfile.NonBlocking, 0)
	if err != nil {
		return nil, plainfile.Reason(err)
	}
	data, err := plainfile.Read(file, openapi.MaxDocumentBytes)
	return data, errors.Join(err, file.Close())
}
