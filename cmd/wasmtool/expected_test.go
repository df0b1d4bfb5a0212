package main

import (
	"maps"
	"strings"
	"testing"
)

// replacement replaces a string in a file. The string must occur exactly the given number of times.
type replacement struct {
	path, old, new string
	times          int
}

// expected returns the tree that the steps must leave. It computes the tree from the tree before
// the steps, without the tools.
func expected(t *testing.T, before tree) tree {
	t.Helper()
	after := maps.Clone(before)
	for path := range before {
		// The steps make this edit in each *_slice.go file, and later undo the edit in
		// int_slice.go.
		if strings.HasSuffix(path, "_slice.go") && path != "int_slice.go" {
			replace(t, after, replacement{path, "interface{}", "any", strings.Count(before[path].text, "interface{}")})
		}
	}
	for _, r := range []replacement{
		{"count.go", "CountVar only take a shorthand", "CountVar, but takes a shorthand", 2},
		{"count.go", "GetCount return the", "GetCount returns the", 1},
		{"count.go", "interface{}", "any", 1},
		{"bool.go", "interface{}", "any", 1},
		{"bool.go", "GetBool return the", "GetBool returns the", 1},
		{"bool.go", "BoolVarP is like BoolVar, but", "BoolVarP is like BoolVar but", 2},
		{"text.go", "interface{}", "any", 1},
		{"text.go", "//end of copy", "// end of copy", 1},
		{"flag.go", "interface{}", "any", 2},
		{"verify/golint.sh", `"golint"`, `"revive"`, 1},
	} {
		replace(t, after, r)
	}
	after["verify/revive.sh"] = after["verify/golint.sh"]
	delete(after, "verify/golint.sh")
	delete(after, ".travis.yml")
	file, dir := before["flag.go"].mode, before["verify"].mode
	after["docs"] = entry{mode: dir}
	after["docs/changes.md"] = entry{file, "# Changes\n\n- `any` in place of `interface{}`; Go 1.18 is needed.\n- The name `ParseErrorsWhitelist` stays.\n"}
	after["verify/vet.sh"] = entry{file, "#!/bin/bash\n\nexec go vet ./...\n"}
	return after
}

// replace makes a replacement in a file of a tree and checks how often the old string occurs.
func replace(t *testing.T, files tree, r replacement) {
	t.Helper()
	file := files[r.path]
	if n := strings.Count(file.text, r.old); n != r.times || n == 0 {
		t.Fatalf("%s has %q %d times, want %d; the steps are for another version of the project", r.path, r.old, n, r.times)
	}
	file.text = strings.ReplaceAll(file.text, r.old, r.new)
	files[r.path] = file
}
