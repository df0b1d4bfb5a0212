package names

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// cells returns the rows of all tables of a page in docs, without their headings.
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

// namesIn returns the tests that a cell names: everything in backticks.
func namesIn(cell string) []string {
	var names []string
	for _, found := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		names = append(names, found[1])
	}
	return names
}

// TestAttacksHaveTests checks that each attack of docs/attacks.md names existing tests, or a reason
// for having none. It also checks that the numbers of the attacks are unique and in order.
func TestAttacksHaveTests(t *testing.T) {
	index := find(t)
	rows := cells(t, "attacks.md")
	if len(rows) < 110 {
		t.Errorf("the page has only %d attacks", len(rows))
	}
	before := ""
	for _, row := range rows {
		if len(row) != 4 || !regexp.MustCompile(`^[A-FH-N][1-9][0-9]?$`).MatchString(row[0]) {
			t.Errorf("not an attack: %q", row)
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

// TestPromisesHaveTests checks that each numbered promise of docs/security.md names existing tests.
func TestPromisesHaveTests(t *testing.T) {
	index := find(t)
	promises := 0
	for _, row := range cells(t, "security.md") {
		if len(row) == 4 && len(row[0]) == 1 {
			promises++
			checkCell(t, index, row[0], row[3])
		}
	}
	if promises != 6 {
		t.Errorf("%d promises are numbered, want 6", promises)
	}
}

// checkCell reports tests that do not exist, and a cell with neither a test nor a reason.
func checkCell(t *testing.T, index *Index, what, cell string) {
	t.Helper()
	names := namesIn(cell)
	if reason, ok := strings.CutPrefix(cell, "no test: "); len(names) == 0 && (!ok || reason == "") {
		t.Errorf("%s: names neither a test nor a reason for having none", what)
	}
	for _, name := range names {
		if err := index.Check(name); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestPathsInDocumentsExist checks the files and directories that CONTRIBUTING.md and the last
// column of docs/platforms.md name, except those with a placeholder.
func TestPathsInDocumentsExist(t *testing.T) {
	contributing, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(contributing)
	for _, row := range cells(t, "platforms.md") {
		text += " " + row[len(row)-1]
	}
	checked := 0
	for _, found := range regexp.MustCompile("`([a-z_.-]+/[A-Za-z0-9_./*-]+)`").FindAllStringSubmatch(text, -1) {
		path := found[1]
		if strings.Contains(path, "NAME") || strings.HasPrefix(path, "testing/") {
			continue
		}
		checked++
		if files, err := filepath.Glob("../../" + path); err != nil || len(files) == 0 {
			t.Errorf("there is no %s", path)
		}
	}
	if checked < 55 {
		t.Errorf("found %d paths", checked)
	}
}
