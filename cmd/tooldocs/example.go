package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/manifests"
)

// example shows a call of a tool with what comes of it.
func example(name string, e manifests.Example) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n%s", prose(e.Title), before(e))
	calls := append(e.Before[:len(e.Before):len(e.Before)], e.Object())
	for _, arguments := range calls {
		text, err := plainjson.Indented(arguments)
		if err != nil {
			return "", err
		}
		b.WriteString(fenced("json "+name, string(text)))
	}
	b.WriteString(outcome(e))
	for _, f := range e.After {
		b.WriteString(file("Then the file", f))
	}
	for _, p := range e.Gone {
		fmt.Fprintf(&b, "\nThere is no `%s` then.\n", p)
	}
	return b.String(), nil
}

// before is what there is before the first call.
func before(e manifests.Example) string {
	var b strings.Builder
	for _, f := range e.Files {
		b.WriteString(file("The file", f))
	}
	if !e.Now.IsZero() {
		fmt.Fprintf(&b, "\nIt is %s.\n", e.Now.Format(time.RFC3339))
	}
	if e.Network {
		b.WriteString("\nThis reaches a server.\n")
	}
	return b.String()
}

// outcome is what the call returns, or how it fails.
func outcome(e manifests.Example) string {
	switch {
	case e.HasOutput && e.Output == "" && e.Error == "":
		return "\nIt returns nothing.\n"
	case e.HasOutput && e.Output != "" && e.Error == "":
		return "\nIt returns:\n" + fenced("text", e.Output)
	case len(e.Contains) > 0 && e.Error == "":
		return "\nWhat it returns contains:\n" + fenced("text", strings.Join(e.Contains, "\n"))
	case e.Error == "":
		return "" // the files tell
	case e.Output != "" || len(e.Contains) > 0:
		said := cmp.Or(e.Output, strings.Join(e.Contains, "\n"))
		return fmt.Sprintf("\nIt fails with `%s`, and says:\n%s", e.Error, fenced("text", said))
	}
	return fmt.Sprintf("\nIt fails with `%s`.\n", e.Error)
}

func file(subject string, f manifests.ExampleFile) string {
	if f.Text == "" {
		return fmt.Sprintf("\n%s `%s` is empty.\n", subject, f)
	}
	return fmt.Sprintf("\n%s `%s` holds:\n%s", subject, f, fenced("text", f.Text))
}
