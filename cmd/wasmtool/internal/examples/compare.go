package examples

import (
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// compare compares the result of the call with the example.
func (o *Outcome) compare(e manifests.Example, result tool.Result, err error) {
	text := result.Text()
	switch code := tool.CodeOf(err); {
	case err != nil && e.Error == "":
		o.fail("the call failed with %s:\n%s", code, text)
		return // do not compare the output, because the call has failed
	case err == nil && e.Error != "":
		o.fail("the call succeeded, but error = %q is expected; it returned:\n%s", e.Error, text)
		return
	case err != nil && string(code) != e.Error:
		o.fail("the call failed with %s, but error = %q is expected:\n%s", code, e.Error, text)
		return // the message of another error also differs
	}
	if e.HasOutput && ended(text) != ended(e.Output) {
		o.fail("output (- expected, + got):\n%s", differing(ended(e.Output), ended(text)))
	}
	var missing []string
	for _, part := range e.Contains {
		if !strings.Contains(text, part) {
			missing = append(missing, prefixed("- ", part))
		}
	}
	if len(missing) > 0 {
		o.fail("contains (- expected, + got):\n%s\n%s", strings.Join(missing, "\n"), prefixed("+ ", text))
	}
}

// compareFiles compares the files after the call with the files that the example expects.
func (o *Outcome) compareFiles(e manifests.Example, m mounts) {
	for _, f := range e.After {
		switch text, found := m.read(f.ExamplePath); {
		case !found:
			o.fail("after: there is no file %s", f.ExamplePath)
		case text != f.Text:
			o.fail("after: %s (- expected, + got):\n%s", f.ExamplePath, differing(f.Text, text))
		}
	}
	for _, p := range e.Gone {
		if m.exists(p) {
			o.fail("gone: %s still exists", p)
		}
	}
}

// ended removes a line feed from the end of a string. Programs often print a final line feed that
// the multi-line string in the manifest lacks, or the reverse. That difference should not fail an
// example.
func ended(text string) string { return strings.TrimSuffix(text, "\n") }

// around is the number of equal lines shown before and after the lines that differ.
const around = 2

// differing returns the lines between the common beginning and the common end of two texts, with
// some lines around them.
func differing(want, got string) string {
	wanted, gotten := strings.Split(want, "\n"), strings.Split(got, "\n")
	first := 0
	for first < min(len(wanted), len(gotten)) && wanted[first] == gotten[first] {
		first++
	}
	last := 0
	for last < min(len(wanted), len(gotten))-first && wanted[len(wanted)-1-last] == gotten[len(gotten)-1-last] {
		last++
	}
	lines := each.Of(wanted[max(0, first-around):first], func(line string) string { return "  " + line })
	for _, line := range wanted[first : len(wanted)-last] {
		lines = append(lines, "- "+line)
	}
	for _, line := range gotten[first : len(gotten)-last] {
		lines = append(lines, "+ "+line)
	}
	same := wanted[len(wanted)-last:]
	for _, line := range same[:min(around, len(same))] {
		lines = append(lines, "  "+line)
	}
	return strings.Join(lines, "\n")
}

func prefixed(prefix, text string) string {
	return prefix + strings.ReplaceAll(ended(text), "\n", "\n"+prefix)
}
