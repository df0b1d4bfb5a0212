package catalogue

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

func searched(name, aliases, tags, title, description string) tool.Spec {
	return tool.Spec{Name: name, Aliases: strings.Fields(aliases), Tags: strings.Fields(tags), Title: title, Description: description}
}

// fill returns a Catalogue with four tools.
func fill(t testing.TB) (*Catalogue, map[string]tool.Spec) {
	t.Helper()
	all := map[string]tool.Spec{
		"read_file":  searched("read_file", "cat", "files", "Read a file", "Shows lines of a text file."),
		"write":      searched("write", "", "files", "Write", "Puts text into a file and reads nothing."),
		"web_search": searched("web_search", "", "web", "Search the web", "Finds pages in many languages: Ünïcode, 日本."),
		"research":   searched("research", "", "", "Look things up", "Asks others."),
	}
	c := New(Options{}, Hooks{})
	for _, name := range []string{"write", "research", "read_file", "web_search"} {
		if err := c.Register(all[name], &fake{}); err != nil {
			t.Fatal(err)
		}
	}
	return c, all
}

func found(c *Catalogue, query string) string {
	var names []string
	for _, info := range c.Search(query, 0) {
		names = append(names, info.Name)
	}
	return strings.Join(names, " ")
}

func TestFind(t *testing.T) {
	c, _ := fill(t)
	for query, want := range map[string]string{
		"":    "",
		" . ": "",
		// a match in a name ranks before a match in a description
		"read":          "read_file write",
		"READ_FILE":     "read_file",
		"read-file":     "read_file",
		"cat":           "read_file", // an alias
		"file":          "read_file write",
		"files":         "read_file write",
		"search":        "web_search research", // a word of a name ranks before a part of a name
		"web":           "web_search",
		"text file":     "read_file write",
		"text web":      "",
		"serach":        "web_search", // two letters are swapped
		"wrte":          "write",      // a letter is missing
		"resaerch":      "research",
		"filles":        "read_file write",
		"serach pagges": "web_search",
		"ünïcode":       "web_search",
		"日本":            "web_search",
		"zzzzzz":        "",
		"re":            "read_file research write",
		"it":            "", // a query word of two letters matches no part of a word
		"rit":           "write",
		"lines, text!":  "read_file",
	} {
		if got := found(c, query); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
}

// Search finds exactly the registered tools after any sequence of additions and removals.
func TestSearchFollowsAddAndRemove(t *testing.T) {
	c, all := fill(t)
	want := found(c, "file") + found(c, "search")
	r := rand.New(rand.NewPCG(1, 2))
	there := map[string]bool{"write": true, "research": true, "read_file": true, "web_search": true}
	change := func(name string) {
		t.Helper()
		var err error
		if there[name] {
			_, err = c.Unregister(name)
		} else {
			err = c.Register(all[name], &fake{})
		}
		if err != nil {
			t.Fatal(err)
		}
		there[name] = !there[name]
	}
	for range 500 {
		names := []string{"write", "research", "read_file", "web_search"}
		change(names[r.IntN(len(names))])
		if got := strings.Contains(found(c, "write"), "write"); got != there["write"] {
			t.Fatalf("write is found: %v, is registered: %v", got, there["write"])
		}
	}
	for name, is := range there {
		if !is {
			change(name)
		}
	}
	if got := found(c, "file") + found(c, "search"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for name := range all {
		change(name)
	}
	if len(c.tools)+len(c.names) != 0 {
		t.Errorf("the catalogue is not empty: %+v", c)
	}
}

// The order of equal matches is the same in every catalogue of the same tools.
func TestOrderIsFixed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	first := ""
	for i := range 5 {
		c := New(Options{}, Hooks{})
		for _, n := range r.Perm(200) {
			if err := c.Register(searched(fmt.Sprintf("tool_%d", n), "", "", "", "Does a thing."), &fake{}); err != nil {
				t.Fatal(err)
			}
		}
		got := found(c, "thing tool")
		if i == 0 {
			first = got
		}
		if n := len(strings.Fields(got)); n != 200 || got != first {
			t.Fatalf("the order of %d differs: %v", n, got)
		}
	}
}

// Search handles very long and malformed queries without a panic.
func TestHostileQueries(t *testing.T) {
	c, _ := fill(t)
	for _, query := range []string{strings.Repeat("a ", 100_000), strings.Repeat("x", 1<<20), "\xff\xfe", strings.Repeat("日", 10_000), strings.Repeat("_", 1000)} {
		c.Search(query, 0)
	}
	if got := queryTerms(strings.Repeat("word1 word2 ", 1000)); len(got) != 2 {
		t.Errorf("got %d words", len(got))
	}
}

func FuzzFind(f *testing.F) {
	c, _ := fill(f)
	f.Add("read file")
	f.Add("\xff日本_-")
	f.Fuzz(func(t *testing.T, query string) {
		hits := find(c.all(), query)
		for i, h := range hits {
			if h.score <= 0 || i > 0 && hits[i-1].score < h.score {
				t.Errorf("%q: %v", query, hits)
			}
		}
	})
}

// BenchmarkSearch measures searches, which take well under a millisecond among 300 tools.
func BenchmarkSearch(b *testing.B) {
	subjects := []string{"issue", "invoice", "customer", "calendar", "message", "repository", "database", "weather", "ticket", "document"}
	verbs := []string{"create", "delete", "list", "search", "update", "export", "import", "archive", "share", "count"}
	for _, n := range []int{300, 10_000} {
		c := New(Options{}, Hooks{})
		for i := range n {
			verb, subject := verbs[i%10], subjects[i/10%10]
			s := tool.Spec{
				Name:  fmt.Sprintf("%s_%s_%d", verb, subject, i),
				Title: fmt.Sprintf("%s a %s", verb, subject), Category: subject, Tags: []string{verb, "bench"},
				Description: fmt.Sprintf("Lets a model %s what the service number %d of the company knows about a %s, word%d and other%d.", verb, i, subject, i, i%997),
			}
			if err := c.Register(s, &fake{}); err != nil {
				b.Fatal(err)
			}
		}
		for _, query := range []string{"search invoice", "serach invioce", "service company 777", "word777", "a", "nothingofthekind"} {
			b.Run(fmt.Sprintf("%d/%s", n, query), func(b *testing.B) {
				for b.Loop() {
					c.Search(query, 20)
				}
			})
		}
	}
}
