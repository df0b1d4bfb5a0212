package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/manifests"
)

// example shows a call of a tool and its result.
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
		b.WriteString(file("After the call, the file", f))
	}
	for _, p := range e.Gone {
		fmt.Fprintf(&b, "\nAfter the call, `%s` does not exist.\n", p)
	}
	return b.String(), nil
}

// before describes the state before the first call.
func before(e manifests.Example) string {
	var b strings.Builder
	for _, f := range e.Files {
		b.WriteString(file("The file", f))
	}
	if !e.Now.IsZero() {
		fmt.Fprintf(&b, "\nThe current time is %s.\n", e.Now.Format(time.RFC3339))
	}
	if e.Network {
		b.WriteString("\nThis example needs the network.\n")
	}
	return b.String()
}

// outcome describes the result of the call or its error.
func outcome(e manifests.Example) string {
	switch {
	case e.HasOutput && e.Output == "" && e.Error == "":
		return "\nThe call returns an empty result.\n"
	case e.HasOutput && e.Output != "" && e.Error == "":
		return "\nThe call returns:\n" + fenced("text", e.Output)
	case len(e.Contains) > 0 && e.Error == "":
		return "\nThe result contains:\n" + fenced("text", strings.Join(e.Contains, "\n"))
	case e.Error == "":
		return "" // the example expects no output, so the page shows the files instead
	case e.Output != "" || len(e.Contains) > 0:
		message := cmp.Or(e.Output, strings.Join(e.Contains, "\n"))
		return fmt.Sprintf("\nThe call fails with the error `%s` and this message:\n%s", e.Error, fenced("text", message))
	}
	return fmt.Sprintf("\nThe call fails with the error `%s`.\n", e.Error)
}

func file(subject string, f manifests.ExampleFile) string {
	if f.Text == "" {
		return fmt.Sprintf("\n%s `%s` is empty.\n", subject, f)
	}
	return fmt.Sprintf("\n%s `%s` contains:\n%s", subject, f, fenced("text", f.Text))
}
