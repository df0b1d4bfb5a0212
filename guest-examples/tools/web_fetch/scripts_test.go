package webfetch

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// fetched returns the non-empty lines of a page. They are equal in both formats, apart from the
// marks of Markdown.
func fetched(t *testing.T, page string) string {
	t.Helper()
	s := serve(t, map[string]http.HandlerFunc{"/": answer("text/html; charset=utf-8", page)})
	var shown []string
	for _, format := range []string{FormatText, FormatMarkdown} {
		r, err := fetch(t, Args{URL: s.URL, Format: format})
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("**", "", "### ", "").Replace(body(t, r))
		lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return line == "" })
		shown = append(shown, strings.Join(lines, "\n"))
	}
	if shown[0] != shown[1] {
		t.Errorf("as text:\n%s\nas Markdown:\n%s", shown[0], shown[1])
	}
	return shown[0]
}

// React sends the parts of a page in hidden elements after the page, and a script that shows them.
func TestStreamedPage(t *testing.T) {
	for _, test := range []struct{ name, page, want string }{
		{
			"a part replaces its provisional content",
			`<body><p>Above.</p><!--$?--><template id="B:0"></template><p>Loading</p><!--$--><i>more</i><!--/$--><!--/$--><p>Below.</p>` +
				`<div hidden id="S:0"><p>The article.</p></div><script>function $RC(a,b){};$RC("B:0","S:0")</script>`,
			"Above.\nThe article.\nBelow.",
		},
		{
			"a part in a part",
			`<body><template id="B:0"></template><p>Loading</p><!--/$-->` +
				`<div hidden id="S:0"><p>Outer.</p><template id="P:1"></template></div><div hidden id="S:1"><p>Inner.</p></div>` +
				`<script>$RS("S:1","P:1")</script><script>$RR("B:0","S:0",[["x.css"]])</script>`,
			"Outer.\nInner.",
		},
		{"without the call", `<body><p>a</p><template id="B:0"></template><div hidden id="S:0">b</div><script>x()</script>`, "a"},
		{"a place that is no template", `<body><p id="B:0">a</p><div hidden id="S:0">b</div><script>$RC("B:0","S:0")</script>`, "a"},
		{"no such part", `<body><template id="B:0"></template><p>a</p><script>$RC("B:0","S:0")</script>`, "a"},
		{"a part in itself", `<body><p>a</p><div hidden id="S:0"><template id="B:0"></template>b</div><script>$RC("B:0","S:0")</script>`, "a"},
		{"parts in each other", `<body><p>a</p><div hidden id="S:0"><template id="P:1"></template>b</div><div hidden id="S:1"><template id="P:0"></template>c</div><script>$RS("S:0","P:0");$RS("S:1","P:1")</script>`, "a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := fetched(t, test.page); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// Parts that are moved into each other do not nest deeper than the parser allows.
func TestStreamedPageIsNotDeep(t *testing.T) {
	page := "<body><p>a</p><template id=\"P:1\"></template>"
	for i := 1; i < 400; i++ {
		page += fmt.Sprintf(`<div hidden id="S:%d">%s<template id="P:%d"></template>%s</div>`, i, strings.Repeat("<div>", 10), i+1, strings.Repeat("</div>", 10))
	}
	page += "<script>"
	for i := 399; i > 0; i-- {
		page += fmt.Sprintf(`$RS("S:%d","P:%d");`, i, i)
	}
	root, err := html.Parse(strings.NewReader(page + "</script>"))
	if err != nil {
		t.Fatal(err)
	}
	if showStreamed(root); height(root) < maxTree/2 || height(root) > maxTree+1 {
		t.Errorf("the tree has %d levels", height(root))
	}
}

func TestNoscript(t *testing.T) {
	const note = "\n(the page has more text for browsers that run no scripts, so this includes it)"
	for _, test := range []struct{ page, want string }{
		{`<head><noscript><style>p{}</style></noscript></head><body><div id=root></div><noscript><p>You need <b>scripts</b>.</p></noscript>`, "You need scripts." + note},
		{`<body><p>Loading</p><noscript>The whole article is here.</noscript>`, "Loading\nThe whole article is here." + note},
		{`<body><p>A long article that people read.</p><noscript>Turn on scripts</noscript>`, "A long article that people read."},
		{`<body><p>Text.</p><noscript><img src="/pixel.gif"><iframe src="x"></iframe><p hidden>secret and hidden</p></noscript>`, "Text."},
	} {
		got := fetched(t, test.page)
		if got != test.want {
			t.Errorf("%s:\ngot  %q\nwant %q", test.page, got, test.want)
		}
	}
}

// A page whose text is mostly hidden has a note, because its scripts may show the text.
func TestHiddenTextIsReported(t *testing.T) {
	long := strings.Repeat("hidden", 50)
	if got, want := fetched(t, `<body><p>Menu</p><div style="display:none">`+long+`</div>`), "Menu\n(the page hides 300 letters until a script shows them; use format=html to see them)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := fetched(t, `<body><p>`+long+`</p><div hidden>`+long+`</div>`), long; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The text of a block does not join the text around it.
func TestBlocksAreApart(t *testing.T) {
	for _, element := range strings.Fields("address article blockquote center dd details div dl dt fieldset figcaption figure form h1 hgroup legend li listing main menu ol p pre section summary ul") {
		page := fmt.Sprintf("<body>before<%[1]s>in</%[1]s>after", element)
		s := serve(t, map[string]http.HandlerFunc{"/": answer("text/html; charset=utf-8", page)})
		for _, format := range []string{FormatText, FormatMarkdown} {
			r, err := fetch(t, Args{URL: s.URL, Format: format})
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(body(t, r), "\n")
			if len(lines) < 3 && element != "main" && element != "article" || strings.Contains(body(t, r), "inafter") || strings.Contains(body(t, r), "beforein") {
				t.Errorf("%s as %s: %q", element, format, lines)
			}
		}
	}
}

func TestButtons(t *testing.T) {
	const page = `<body><button>Buy</button><h3><button>Question</button></h3><p>Answer.</p>
<details><summary><button>More</button></summary>Details.</details><dialog>closed</dialog><dialog open>open</dialog>`
	if got, want := fetched(t, page), "Question\nAnswer.\nMore\nDetails.\nopen"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
