package searchindex

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func texts(name, tags, title, description string) map[Field][]string {
	names := strings.Fields(name)
	return map[Field][]string{Name: names, PartOfName: names, Tag: strings.Fields(tags), Title: {title}, Description: {description}}
}

func fill() (*Index, map[string]map[Field][]string) {
	all := map[string]map[Field][]string{
		"read_file":  texts("read_file cat", "files", "Read a file", "Shows lines of a text file."),
		"write":      texts("write", "files", "Write", "Puts text into a file and reads nothing."),
		"web_search": texts("web_search", "web", "Search the web", "Finds pages in many languages: Ünïcode, 日本."),
		"research":   texts("research", "", "Look things up", "Asks others."),
	}
	var x Index
	for _, name := range []string{"write", "research", "read_file", "web_search"} {
		x.Add(name, all[name])
	}
	return &x, all
}

func found(x *Index, query string) string {
	var names []string
	for h := range x.Find(query) {
		names = append(names, h.Name)
	}
	return strings.Join(names, " ")
}

func TestFind(t *testing.T) {
	x, _ := fill()
	for query, want := range map[string]string{
		"":              "",
		" . ":           "",
		"read":          "read_file write", // a part of a name, then a beginning of a word of a description
		"READ_FILE":     "read_file",
		"read-file":     "read_file",
		"cat":           "read_file", // an alias
		"file":          "read_file write",
		"files":         "read_file write",
		"search":        "web_search research", // a word of a name before a part of one
		"web":           "web_search",
		"text file":     "read_file write",
		"text web":      "",
		"serach":        "web_search", // swapped
		"wrte":          "write",      // left out
		"resaerch":      "research",
		"filles":        "read_file write",
		"serach pagges": "web_search",
		"ünïcode":       "web_search",
		"日本":            "web_search",
		"zzzzzz":        "",
		"re":            "read_file research write",
		"it":            "", // two letters are no part of a word
		"rit":           "write",
		"lines, text!":  "read_file",
	} {
		if got := found(x, query); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
}

// What is there is found, whatever came and went before.
func TestAddAndRemove(t *testing.T) {
	x, all := fill()
	want := found(x, "file") + found(x, "search")
	r := rand.New(rand.NewPCG(1, 2))
	there := map[string]bool{"write": true, "research": true, "read_file": true, "web_search": true}
	for range 500 {
		names := []string{"write", "research", "read_file", "web_search"}
		name := names[r.IntN(len(names))]
		if there[name] {
			x.Remove(name, all[name])
		} else {
			x.Add(name, all[name])
		}
		there[name] = !there[name]
		if got := strings.Contains(found(x, "write"), "write"); got != there["write"] {
			t.Fatalf("write is found: %v, is there: %v", got, there["write"])
		}
	}
	for name, is := range there {
		if !is {
			x.Add(name, all[name])
		}
	}
	if got := found(x, "file") + found(x, "search"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for name := range all {
		x.Remove(name, all[name])
	}
	if len(x.words)+len(x.byText)+len(x.byDoc) != 0 || len(x.docs) != len(x.free) {
		t.Errorf("something is left: %+v", x)
	}
}

// The order is the same in every index of the same tools.
func TestOrderIsFixed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var first []Hit
	for i := range 5 {
		var x Index
		for _, n := range r.Perm(200) {
			x.Add(fmt.Sprintf("tool_%d", n), texts(fmt.Sprintf("tool_%d", n), "", "", "Does a thing."))
		}
		got := slices.Collect(x.Find("thing tool"))
		if i == 0 {
			first = got
		}
		if len(got) != 200 || !slices.Equal(got, first) {
			t.Fatalf("the order differs: %v", got)
		}
	}
}

// No query is too long to be answered.
func TestHostileQueries(t *testing.T) {
	x, _ := fill()
	for _, query := range []string{strings.Repeat("a ", 100_000), strings.Repeat("x", 1<<20), "\xff\xfe", strings.Repeat("日", 10_000), strings.Repeat("_", 1000)} {
		for range x.Find(query) {
		}
	}
	if got := queryTerms(strings.Repeat("word1 word2 ", 1000)); len(got) != 2 {
		t.Errorf("got %d words", len(got))
	}
}

func FuzzFind(f *testing.F) {
	x, _ := fill()
	f.Add("read file")
	f.Add("\xff日本_-")
	f.Fuzz(func(t *testing.T, query string) {
		hits := slices.Collect(x.Find(query))
		for i, h := range hits {
			if h.Score <= 0 || i > 0 && hits[i-1].Score < h.Score {
				t.Errorf("%q: %v", query, hits)
			}
		}
	})
}
