package names

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// cells returns the rows of the tables of a page, but for their heads.
func cells(t *testing.T, page string) [][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for table := range strings.SplitSeq(string(text), "\n\n") {
		lines := strings.Split(strings.TrimSpace(table), "\n")
		if len(lines) < 3 || !strings.HasPrefix(lines[1], "| --- |") {
			continue
		}
		for _, line := range lines[2:] {
			rows = append(rows, strings.Split(strings.Trim(line, "| "), " | "))
		}
	}
	return rows
}

// namesIn returns the tests that a cell names, which are all that stands in backticks.
func namesIn(cell string) []string {
	var names []string
	for _, found := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		names = append(names, found[1])
	}
	return names
}

// Each case of docs/attacks.md has tests that exist, or a reason why it has none; no case
// stands twice, and they are in order.
func TestAttacksHaveTests(t *testing.T) {
	index := find(t)
	rows := cells(t, "attacks.md")
	if len(rows) < 110 {
		t.Errorf("the page has only %d cases", len(rows))
	}
	before := ""
	for _, row := range rows {
		if len(row) != 4 || !regexp.MustCompile(`^[A-FH-L][1-9][0-9]?$`).MatchString(row[0]) {
			t.Errorf("no case: %q", row)
			continue
		}
		if number := row[0][:1] + strings.Repeat("0", 3-len(row[0])) + row[0][1:]; number <= before {
			t.Errorf("%s is out of order", row[0])
		} else {
			before = number
		}
		checkCell(t, index, row[0], row[3])
	}
}

// Each promise of docs/security.md that is numbered has tests that exist.
func TestPromisesHaveTests(t *testing.T) {
	index := find(t)
	numbered := 0
	for _, row := range cells(t, "security.md") {
		if len(row) == 4 && len(row[0]) == 1 {
			numbered++
			checkCell(t, index, row[0], row[3])
		}
	}
	if numbered != 6 {
		t.Errorf("%d promises are numbered, want 6", numbered)
	}
}

func checkCell(t *testing.T, index *Index, what, cell string) {
	t.Helper()
	names := namesIn(cell)
	if reason, ok := strings.CutPrefix(cell, "no test: "); len(names) == 0 && (!ok || reason == "") {
		t.Errorf("%s: names neither a test nor a reason why there is none", what)
	}
	for _, name := range names {
		if err := index.Check(name); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
