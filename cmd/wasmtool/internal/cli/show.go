package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/terminal"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func newShowCommand(a *app) *cobra.Command {
	o := toolOptions{app: a}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show NAME|./DIR|FILE.toml",
		Short: "Show the description, parameters and permissions of a tool",
		Long: `Show a tool: its description, its parameters, the permissions that it asks for, and the
digest that [revoked] and tools.NAME.digest in the operator's file name. The tool is not
run; its module is compiled if the digest is not known otherwise.

Exit status: 0; 7 if the tool does not exist; 8 if it cannot be loaded.`,
		Example: `  wasmtool show grep
  wasmtool show ./my-tool --json`,
		Args: oneArgument("which tool? 'wasmtool list' shows them"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.show(cmd, args[0], asJSON) },
	}
	o.add(cmd)
	cmd.ValidArgsFunction = o.completeTool
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

func (o toolOptions) show(cmd *cobra.Command, target string, asJSON bool) error {
	tools, name, err := o.openTarget(cmd, standard.Options{}, target)
	if err != nil {
		return err
	}
	defer tools.Close()
	info, err := tools.Tools().Get(name)
	if err != nil {
		return err
	}
	// A tool whose module cannot be loaded has no digest, and cannot be called.
	digest, _ := tools.Digest(cmd.Context(), name)
	if asJSON {
		return o.printJSON(shownTool{info, digest})
	}
	operator, err := o.loadConfig()
	if err != nil {
		return err
	}
	spec := info.Spec
	schema, err := jsonschema.CompileParameters(spec.Parameters)
	if err != nil {
		return err
	}
	return printTool(o.table(), spec, target, identity{digest, operator.Revoked()[digest]}, schema.Parameters())
}

// identity is what the operator's file can name a tool by, and whether the file revokes it.
type identity struct {
	digest  string // "" if it is not known
	revoked bool
}

// shownTool is the JSON of a tool, with its digest if it has one.
type shownTool struct {
	catalogue.Info
	digest string
}

// MarshalJSON implements [json.Marshaler].
func (s shownTool) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(s.Info)
	if err != nil || s.digest == "" {
		return text, err
	}
	return fmt.Appendf(bytes.TrimSuffix(text, []byte("}")), ",%q:%q}", "digest", s.digest), nil
}

// maxExampleArguments limits the bytes shown of an example's arguments or of a setting's value.
const maxExampleArguments = 200

func printTool(w *terminal.Layout, s tool.Spec, target string, id identity, parameters []jsonschema.Parameter) error {
	fmt.Fprintf(w, "%s %s\t%s\n\n", s.Name, oneLine(s.Version), oneLine(s.Title))
	// The description is indented, so that none of its lines can be mistaken for output of wasmtool
	// itself.
	fmt.Fprintf(w, "  %s\n\n", indent(printable(strings.TrimSpace(s.Description))))
	fmt.Fprintf(w, "from:\t%s\n", oneLine(s.Source))
	for _, list := range []struct{ name, text string }{
		{"calls", s.Original},
		{"category", s.Category},
		{"tags", strings.Join(s.Tags, ", ")},
		{"aliases", strings.Join(s.Aliases, ", ")},
		{"digest", id.digest},
		{"revoked", yesNo(id.revoked, "yes: [revoked] in the operator's file has the digest", "")},
	} {
		if list.text != "" {
			fmt.Fprintf(w, "%s:\t%s\n", list.name, oneLine(list.text))
		}
	}
	fmt.Fprintf(w, "timeout:\t%v\n", s.Timeout)
	fmt.Fprintf(w, "dangerous:\t%s\n", yesNo(s.Dangerous, "yes: each call needs approval", "no"))
	fmt.Fprintf(w, "sandboxed:\t%s\n", yesNo(s.Sandboxed, "yes", "no: "+tool.OutsideSandbox))
	if len(s.StubImports) > 0 {
		fmt.Fprintf(w, "stubs:\t%s\n", yesNo(s.StubImports[0] == manifests.AllStubs, "all imported functions that wasmtool does not provide", oneLine(strings.Join(s.StubImports, ", "))))
	}
	asks := s.Permissions.Describe()
	if len(asks) == 0 {
		asks = []string{yesNo(s.Sandboxed, "nothing", "nothing that wasmtool can grant")}
	}
	for i, permission := range asks {
		fmt.Fprintf(w, "%s\t%s\n", yesNo(i == 0, "asks for:", ""), oneLine(permission))
	}
	fmt.Fprintf(w, "can do:\t%s\n", describeEffects(s.Effects()))
	example := "wasmtool run " + target + printParameters(w, parameters)
	for i, setting := range s.Settings {
		fmt.Fprintf(w, "%s  %s\t%s\n", yesNo(i == 0, "\nsettings, which the operator sets:\n", ""), oneLine(setting.Name), cut(oneLine(strconv.Quote(setting.Value)), maxExampleArguments))
		fmt.Fprintf(w, "  \t  %s\n", oneLine(strings.Join(strings.Fields(setting.Description), " ")))
		if len(setting.Values) > 0 {
			fmt.Fprintf(w, "  \t  one of %s\n", oneLine(strings.Join(setting.Values, ", ")))
		}
	}
	for i, e := range s.Examples {
		fmt.Fprintf(w, "%s  %s\t%s\n", yesNo(i == 0, "\nexamples:\n", ""), oneLine(e.Title), cut(oneLine(spaced(e.Arguments)), maxExampleArguments))
	}
	fmt.Fprintf(w, "\ncall it:\t%s\n", oneLine(example))
	return outputFailed(w.Flush())
}

// spaced returns JSON on one line, with spaces at which the line can be wrapped. It returns text
// that is not JSON unchanged.
func spaced(text json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", ""); err != nil {
		return string(text)
	}
	// A string in JSON has no line breaks.
	return strings.NewReplacer("{\n", "{", "[\n", "[", "\n}", "}", "\n]", "]", "\n", " ").Replace(b.String())
}

// printParameters lists parameters. It returns the arguments that every call must have.
func printParameters(w io.Writer, parameters []jsonschema.Parameter) (call string) {
	fmt.Fprint(w, yesNo(len(parameters) == 0, "parameters:\tnone\n", "\nparameters:\n"))
	for _, p := range parameters {
		note := ""
		switch {
		case p.Required:
			note = ", required"
			call += " " + p.Name + "=..."
		case len(p.Default) > 0:
			note = ", default " + string(p.Default)
		}
		fmt.Fprintf(w, "  %s\t%s%s\n", oneLine(p.Name), oneLine(p.Type), oneLine(note))
		if p.Description != "" {
			fmt.Fprintf(w, "  \t  %s\n", oneLine(strings.Join(strings.Fields(p.Description), " ")))
		}
		if len(p.Aliases) > 0 {
			fmt.Fprintf(w, "  \t  also called %s\n", oneLine(strings.Join(p.Aliases, ", ")))
		}
		if len(p.Enum) > 0 {
			fmt.Fprintf(w, "  \t  one of %s\n", oneLine(string(bytes.Join(rawBytes(p.Enum), []byte(", ")))))
		}
	}
	return call
}

// describeEffects describes the effects of a call that is granted everything its tool asks for.
func describeEffects(e capability.Effects) string {
	text := "write to its own store"
	switch {
	case e.Destructive:
		text = "change and delete data"
	case e.ReadOnly:
		text = "only read"
	}
	return text + yesNo(e.OpenWorld, ", and send requests to servers", "")
}

func rawBytes(values []json.RawMessage) [][]byte {
	list := make([][]byte, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}
