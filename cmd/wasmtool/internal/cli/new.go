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
)

func newNewCommand(a *app) *cobra.Command {
	var language string
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Create a tool from a template",
		Long: `Create the directory NAME with a tool: its manifest, a source, and an example that passes.
The last part of NAME is the name of the tool. Nothing is overwritten. At a terminal, you
are asked for the language if --lang is missing. Scripts in python, js and ts run as they
are; for the other languages, 'wasmtool build' calls their compiler.

Exit status: 0; 2 if NAME is not the name of a tool or already exists, or if there is no
such language; 74 if the files cannot be written.`,
		Example: `  wasmtool new word-count --lang python
  wasmtool new tools/word-count --lang js
  wasmtool new word-count --lang rust && wasmtool build word-count`,
		Args: oneArgument("which name? write, for example, wasmtool new word-count --lang " + starter.Languages()[0].Name),
		RunE: func(cmd *cobra.Command, args []string) error { return a.newTool(cmd, args[0], language) },
	}
	cmd.Flags().StringVar(&language, "lang", "", "write the tool in `LANGUAGE`: "+strings.Join(starter.Names(), ", "))
	completeWords(cmd, "lang", starter.Names())
	return cmd
}

// newTool creates the directory path with a tool.
func (s Streams) newTool(cmd *cobra.Command, path, language string) error {
	path = filepath.Clean(path)
	name := filepath.Base(path)
	if err := manifests.CheckName(name); err != nil {
		return usage(cmd, "the name of a tool: "+err.Error())
	}
	l, err := s.language(cmd, language)
	if err != nil {
		return err
	}
	t, err := l.Tool(name)
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
	if l.Script == "" {
		s.message("  ", "wasmtool build "+shellWord(target))
	}
	s.message("  ", "wasmtool test "+shellWord(target))
	s.message("  ", "wasmtool run "+shellWord(target)+" text='one two three'")
	_, err = fmt.Fprintln(s.Out, oneLine(target))
	return outputFailed(err)
}

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
