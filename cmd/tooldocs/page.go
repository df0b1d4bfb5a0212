package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/registry/standard"
)

// indexName is the page that lists the others.
const indexName = "README.md"

// generated tells whoever opens a page where to change it.
const generated = "<!-- Made of the manifests by cmd/tooldocs: change guest-examples/tools/*/tool.toml and run make guests. -->\n\n"

// pagesOf returns the pages of tools and their index.
func pagesOf(loaded []standard.LoadedManifest) (pages, error) {
	all := pages{indexName: index(loaded)}
	for _, m := range loaded {
		text, err := page(m)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		all[m.Name+".md"] = text
	}
	return all, nil
}

// noCategory is the heading of tools without a category.
const noCategory = "other"

// index lists tools by their categories.
func index(loaded []standard.LoadedManifest) string {
	var b strings.Builder
	b.WriteString(generated + "# The built-in tools\n\nEach runs in the sandbox and reaches only what its page says, once that is granted. " +
		"`wasmtool show NAME` has the same at a terminal, and `wasmtool test` runs the examples.\n")
	byCategory := slices.Clone(loaded)
	slices.SortStableFunc(byCategory, func(x, y standard.LoadedManifest) int {
		return cmp.Or(strings.Compare(cmp.Or(x.Category, noCategory), cmp.Or(y.Category, noCategory)), strings.Compare(x.Name, y.Name))
	})
	last := ""
	for _, m := range byCategory {
		if category := cmp.Or(m.Category, noCategory); category != last {
			fmt.Fprintf(&b, "\n## %s\n\n| tool | what it does |\n| --- | --- |\n", category)
			last = category
		}
		fmt.Fprintf(&b, "| [%s](%[1]s.md) | %s |\n", m.Name, cell(prose(m.Title)))
	}
	return b.String()
}

// page describes one tool.
func page(m standard.LoadedManifest) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s# %s: %s\n\n%s\n", generated, m.Name, prose(m.Title), prose(m.Description))
	facts := []struct{ name, text string }{
		{"category", m.Category}, {"tags", strings.Join(m.Tags, ", ")}, {"other names", codes(m.Aliases)},
	}
	var known []string
	for _, fact := range facts {
		if fact.text != "" {
			known = append(known, fact.name+": "+fact.text)
		}
	}
	if len(known) > 0 {
		fmt.Fprintf(&b, "\n%s.\n", upper(strings.Join(known, "; ")))
	}
	parameters, err := parametersTable(m.Parameters)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "\n## Parameters\n\n%s\n## What it reaches\n\n%s\n## Limits\n\n%s", parameters, reach(m), limits(m))
	b.WriteString(settings(m))
	if len(m.Examples) > 0 {
		b.WriteString("\n## Examples\n")
	}
	for _, e := range m.Examples {
		text, err := example(m.Name, e)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// settings lists what the operator can choose.
func settings(m standard.LoadedManifest) string {
	if len(m.Settings) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## Settings\n\nWhoever runs the tool chooses these in [their file](../operator.md#settings), below `[tools.%s.settings]`. What the\ntool asks for above is with the defaults.\n\n| name | default | values | |\n| --- | --- | --- | --- |\n", m.Name)
	for _, s := range m.Settings {
		values := cmp.Or(codes(s.Values), "any text")
		value := "empty"
		if s.Value != "" {
			value = codes([]string{s.Value})
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Name, value, values, cell(prose(s.Description)))
	}
	return b.String()
}

// limits lists what one call may use.
func limits(m standard.LoadedManifest) string {
	l := m.Limits
	rows := [][2]string{
		{"time", stricttoml.FormatDuration(m.Timeout)}, {"memory", stricttoml.FormatSize(l.Memory)}, {"output", stricttoml.FormatSize(l.Output)},
	}
	if l.Fuel > 0 {
		rows = append(rows, [2]string{"fuel", fmt.Sprint(l.Fuel)})
	}
	if len(m.Permissions.FS) > 0 {
		rows = append(rows, [2]string{"open files", fmt.Sprint(l.OpenFiles)})
	}
	if len(m.Permissions.Net) > 0 {
		rows = append(rows, [2]string{"HTTP requests", fmt.Sprint(l.HTTPRequests)})
	}
	var b strings.Builder
	b.WriteString("| of one call | at most |\n| --- | --- |\n")
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s | %s |\n", row[0], row[1])
	}
	return b.String()
}
