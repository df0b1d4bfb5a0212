package policy

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// The table of groups in the document lists the tools of each group, in order.
func TestDocumentListsTheGroups(t *testing.T) {
	text, err := os.ReadFile("../../docs/operator.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := make(map[string][]string)
	for _, row := range regexp.MustCompile("(?m)^\\| `group:([a-z]+)` \\| (.*) \\|$").FindAllStringSubmatch(string(text), -1) {
		for _, name := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[2], -1) {
			if otherNames[name[1]] == "" {
				documented[row[1]] = append(documented[row[1]], name[1])
			}
		}
	}
	if len(documented) != len(groupMembers) {
		t.Errorf("docs/operator.md lists %d groups, want %d", len(documented), len(groupMembers))
	}
	for group, want := range groupMembers {
		if got := documented[group]; !slices.Equal(got, want) {
			t.Errorf("docs/operator.md lists the tools %q for group:%s, want %q", got, group, want)
		}
	}
}
