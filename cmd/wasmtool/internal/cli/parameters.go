package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/terminal"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// addToolHelp makes the help of a command show the parameters of the tool that the command line
// names.
func (o *toolOptions) addToolHelp(cmd *cobra.Command) {
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if targets := cmd.Flags().Args(); len(targets) > 0 {
			o.helpFailed = o.printToolHelp(cmd, targets[0])
			return
		}
		cmd.Parent().HelpFunc()(cmd, args)
	})
}

// helpColumns is the width of the help of a tool.
const helpColumns = 80

func (o *toolOptions) printToolHelp(cmd *cobra.Command, target string) error {
	tools, name, err := o.openTarget(cmd, standard.Options{}, target)
	if err != nil {
		return err
	}
	defer tools.Close()
	info, err := tools.Tools().Get(name)
	if err != nil {
		return err
	}
	schema, err := jsonschema.CompileParameters(info.Parameters)
	if err != nil {
		return err
	}
	var b strings.Builder
	line := func(indent, text string) {
		b.WriteString(strings.Join(terminal.Wrap(indent+oneLine(text), helpColumns), "\n") + "\n")
	}
	line("", firstSentence(info.Description))
	usage := o.commandLine(target, "run")
	for _, p := range schema.Parameters() {
		if p.Required {
			usage += " " + p.Name + "=..."
		}
	}
	b.WriteString("\nUsage:\n")
	line("  ", usage+" [KEY=VALUE | KEY:=JSON]... [flags]")
	b.WriteString(yesNo(len(schema.Parameters()) > 0, "\nParameters:\n", "\nThe tool has no parameters.\n"))
	for _, p := range schema.Parameters() {
		line("  ", p.Name+": "+p.Type+parameterNote(p))
		for _, text := range []string{p.Description, listed("one of ", string(bytes.Join(rawBytes(p.Enum), []byte(", ")))), listed("also called ", strings.Join(p.Aliases, ", "))} {
			if text = strings.Join(strings.Fields(text), " "); text != "" {
				line("      ", text)
			}
		}
	}
	fmt.Fprintf(&b, "\nFlags:\n%s\n", cmd.LocalFlags().FlagUsagesWrapped(helpColumns))
	line("", "'"+o.commandLine(target, "show")+"' shows the permissions and examples of the tool, and 'wasmtool run --help' explains arguments and permissions.")
	_, err = fmt.Fprint(o.Out, b.String())
	return outputFailed(err)
}

// parameterNote returns what follows the type of a parameter in a list.
func parameterNote(p jsonschema.Parameter) string {
	if p.Required {
		return ", required"
	}
	return listed(", default ", string(p.Default))
}

// listed returns text after a prefix, or "" without text.
func listed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// argumentHelp returns lines that help to correct the arguments of a call: one for each required
// parameter that is missing, and the command that shows all parameters.
func (o *toolOptions) argumentHelp(target string, spec tool.Spec, arguments []byte) []string {
	schema, err := jsonschema.CompileParameters(spec.Parameters)
	if err != nil || len(schema.Parameters()) == 0 {
		return nil
	}
	var lines []string
	var given map[string]json.RawMessage
	if len(arguments) == 0 || json.Unmarshal(schema.Rename(arguments), &given) == nil {
		for _, p := range schema.Parameters() {
			if _, ok := given[p.Name]; p.Required && !ok {
				lines = append(lines, oneLine(fmt.Sprintf("%s (%s)%s", p.Name, p.Type, listed(": ", firstSentence(p.Description)))))
			}
		}
	}
	return append(lines, "see '"+o.commandLine(target, "run")+" --help'")
}
