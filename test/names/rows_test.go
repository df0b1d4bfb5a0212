package names

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// declined matches the link to the reason for which a row of rows.md is not fulfilled, or not as a
// whole.
var declined = regexp.MustCompile(`declined: \[[^]]+\]\(\.\./\.\./docs/rationale\.md#([^)]+)\)$`)

// TestRowsHaveTests checks that rows.md has each row once and in order, and that each row names
// existing tests or a question that docs/rationale.md answers.
func TestRowsHaveTests(t *testing.T) {
	index := find(t)
	examples, err := Find("../../guest-examples")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../docs/rationale.md")
	if err != nil {
		t.Fatal(err)
	}
	answered := anchors(string(text))
	var want []string
	for n := range 144 {
		want = append(want, fmt.Sprint("R", n+1))
	}
	for n := range 29 {
		want = append(want, fmt.Sprint("C", n+1))
	}
	for i, row := range cells(t, "../test/names/rows.md") {
		if i >= len(want) || len(row) != 3 || row[0] != want[i] {
			t.Fatalf("row %d is %q", i+1, row)
		}
		tests := namesIn(row[2])
		reason := declined.FindStringSubmatch(row[2])
		if strings.Contains(row[2], "declined") != (reason != nil) || len(tests) == 0 && reason == nil {
			t.Errorf("%s: names neither a test nor a reason", row[0])
		}
		if reason != nil && !answered[reason[1]] {
			t.Errorf("%s: docs/rationale.md has no heading #%s", row[0], reason[1])
		}
		for _, name := range tests {
			in, name := index, name
			if inside, ok := strings.CutPrefix(name, "guest-examples/"); ok {
				in, name = examples, inside
			}
			if err := in.Check(name); err != nil {
				t.Errorf("%s: %v", row[0], err)
			}
		}
		want[i] = ""
	}
	if missing := strings.Join(strings.Fields(strings.Join(want, " ")), " "); missing != "" {
		t.Errorf("there is no row for %s", missing)
	}
}

// anchors returns the anchors of the headings of a Markdown text.
func anchors(text string) map[string]bool {
	found := make(map[string]bool)
	for line := range strings.Lines(text) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			plain := regexp.MustCompile(`[^a-z0-9_ -]`).ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			found[strings.ReplaceAll(plain, " ", "-")] = true
		}
	}
	return found
}
