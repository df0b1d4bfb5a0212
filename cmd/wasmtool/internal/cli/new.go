package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/starter"
	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

func newNewCommand(a *app) *cobra.Command {
	var language, abi string
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Create a tool from a template",
		Long: `Create the directory NAME with a tool: its manifest, a source, and an example that passes.
The last part of NAME is the name of the tool. Nothing is overwritten. At a terminal, you
are asked for the language if --lang is missing. Scripts in python, js and ts run as they
are; for the other languages, 'wasmtool build' calls their compiler.

A command, the default, is a program that reads standard input. A reactor is a function that
uses the SDK for its language, with requests, a store, logs and more; it starts faster. The
SDK for C, Rust and AssemblyScript is a file, which is copied next to the source.

Exit status: 0; 2 if NAME is not the name of a tool or already exists, or if there is no
such language or form; 74 if the files cannot be written.`,
		Example: `  wasmtool new word-count --lang python
  wasmtool new tools/word-count --lang js
  wasmtool new word-count --lang rust && wasmtool build word-count
  wasmtool new word-count --lang c --abi reactor`,
		Args: oneArgument("which name? write, for example, wasmtool new word-count --lang " + starter.Languages()[0].Name),
		RunE: func(cmd *cobra.Command, args []string) error { return a.newTool(cmd, args[0], language, abi) },
	}
	cmd.Flags().StringVar(&language, "lang", "", "write the tool in `LANGUAGE`: "+strings.Join(starter.Names(), ", "))
	cmd.Flags().StringVar(&abi, "abi", string(runtime.Command), "make the module a `FORM`: "+strings.Join(newForms(), " or "))
	completeWords(cmd, "lang", starter.Names())
	completeWords(cmd, "abi", newForms())
	return cmd
}

// newTool creates the directory path with a tool.
func (s Streams) newTool(cmd *cobra.Command, path, language, abi string) error {
	path = filepath.Clean(path)
	name := filepath.Base(path)
	if err := manifests.CheckName(name); err != nil {
		return usage(cmd, "the name of a tool: "+err.Error())
	}
	l, err := s.language(cmd, language)
	if err != nil {
		return err
	}
	reactor := abi == string(runtime.Reactor)
	switch {
	case !slices.Contains(newForms(), abi):
		return usage(cmd, "a new tool has no form "+quote(abi)+"; write --abi "+strings.Join(newForms(), " or --abi "))
	case reactor && l.Script != "":
		return usage(cmd, "a script in "+l.Title+" is not a reactor; leave out --abi, or add --lang go, rust, c or assemblyscript")
	}
	t, err := l.Tool(name, reactor)
	if err != nil {
		return err
	}
	_, refused, err := tooldir.Write(filepath.Dir(path), []tooldir.Tool{t})
	switch {
	case errors.Is(err, tooldir.ErrExists):
		return usage(cmd, err.Error())
	case err != nil:
		return outputFailed(err)
	case len(refused) > 0: // the test of the templates prevents this
		return tool.Errorf(tool.CodeInternal, "%s", refused.Error())
	}
	target := filepath.ToSlash(path)
	if !isPath(target) {
		target = "./" + target
	}
	s.note("created %s, a tool in %s. Change its files, and run:", target, l.Title)
	if l.NeedsClone(reactor) {
		s.message("  ", "go mod edit -replace=github.com/wasmtool/wasmtool/guest=/path/to/wasmtool/guest "+shellWord(target+"/go.mod"))
	}
	if l.Script == "" {
		s.message("  ", "wasmtool build "+shellWord(target))
	}
	s.message("  ", "wasmtool test "+shellWord(target))
	s.message("  ", "wasmtool run "+shellWord(target)+" text='one two three'")
	_, err = fmt.Fprintln(s.Out, oneLine(target))
	return outputFailed(err)
}

// newForms are the forms of modules that a tool can be created in.
func newForms() []string { return []string{string(runtime.Command), string(runtime.Reactor)} }

// language returns the language with a name. Without a name, it asks the person at the terminal.
func (s Streams) language(cmd *cobra.Command, name string) (starter.Language, error) {
	all := starter.Languages()
	person := s.person(false)
	if name == "" && person != nil {
		question := "Which language?"
		for i, l := range all {
			question += fmt.Sprintf("  %d. %s", i+1, l.Title)
		}
		if _, err := io.WriteString(person, question+"\nA number: "); err != nil {
			return starter.Language{}, outputFailed(err)
		}
		answer, err := s.answer(cmd.Context(), person)
		if err != nil {
			return starter.Language{}, err
		}
		name = strings.ToLower(answer)
	}
	for i, l := range all {
		if slices.Contains([]string{l.Name, strings.ToLower(l.Title), fmt.Sprint(i + 1)}, name) {
			return l, nil
		}
	}
	message := "which language? add --lang with one of "
	if name != "" {
		message = "there is no language " + quote(name) + " for new tools; add --lang with one of "
	}
	return starter.Language{}, usage(cmd, message+strings.Join(starter.Names(), ", "))
}
