package style

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`^#+ (.+)$`)
	// notInAnchor matches what GitHub removes from a heading to make its anchor.
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}\p{M}_ -]`)
)

// TestLinksLeadSomewhere checks that the links of Markdown files to files of this repository exist,
// and that their targets have the named headings.
func TestLinksLeadSomewhere(t *testing.T) {
	checked := 0
	walk(t, ".md", func(name string, text []byte) {
		prose, _ := split(text)
		for _, found := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(prose, "`x`"), -1) {
			target, anchor, hasAnchor := strings.Cut(found[1], "#")
			if strings.Contains(target, ":") {
				continue // another site
			}
			checked++
			file := name
			if target != "" {
				file = path.Join(path.Dir(name), target)
			}
			content, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
			if hasAnchor && err == nil {
				if _, anchors := split(content); !anchors[anchor] {
					t.Errorf("%s: %s: there is no such heading", name, found[1])
				}
			} else if _, missing := os.Stat(filepath.Join("..", "..", filepath.FromSlash(file))); missing != nil {
				t.Errorf("%s: %s does not exist", name, found[1])
			}
		}
	})
	if checked < 200 {
		t.Errorf("only %d links were found", checked)
	}
}

// TestEveryPageIsInTheIndex checks that docs/README.md, the entry to the documents, links to all of
// them.
func TestEveryPageIsInTheIndex(t *testing.T) {
	index, err := os.ReadFile("../../docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		if name := filepath.Base(page); name != "README.md" && !strings.Contains(string(index), "("+name+")") {
			t.Errorf("docs/README.md has no link to %s", name)
		}
	}
}

// split returns a document without its code blocks, and the anchors of its headings.
func split(text []byte) (prose string, anchors map[string]bool) {
	var b strings.Builder
	anchors = make(map[string]bool)
	fence := ""
	for line := range strings.Lines(string(text)) {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "" && strings.HasPrefix(trimmed, fence):
			fence = ""
		case fence != "":
		case strings.HasPrefix(trimmed, "```"):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
		default:
			b.WriteString(line)
			if m := heading.FindStringSubmatch(trimmed); m != nil {
				plain := link.ReplaceAllString(m[1], "]")
				anchors[strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(plain), ""), " ", "-")] = true
			}
		}
	}
	return b.String(), anchors
}
