// Package searchindex finds tools by words, also by misspelt ones.
//
// It keeps every different word once, with the tools that have it: a query looks at the
// words and then at the tools that have those that match, never at the texts of all tools.
// Ten thousand tools have far fewer different words than texts.
package searchindex

import (
	"container/heap"
	"iter"
	"slices"
	"strings"
	"unicode"
)

// Field is where a word stands. Words of an earlier one weigh more.
type Field uint8

// The fields.
const (
	Name        Field = iota // a whole name, which counts as one word
	PartOfName               // a word of a name
	Tag                      // a tag or category
	Title                    // of the title
	Description              // of the description
	fields
)

// Index holds the words of tools. It is not safe for concurrent use, but for any number of
// Finds. The zero value is empty.
type Index struct {
	words  []*word
	byText map[string]*word

	docs  []string // names by number; "" is free
	free  []int
	byDoc map[string]int
}

// word is a word with those that have it.
type word struct {
	text    string
	runes   []rune
	letters uint64 // a bit for each letter in it
	posts   []post
	at      int // in words
}

// post says that a tool has a word, and where at best.
type post struct {
	doc   int
	field Field
}

// Add enters a tool with its texts; it is not there yet.
func (x *Index) Add(name string, texts map[Field][]string) {
	if x.byText == nil {
		x.byText, x.byDoc = make(map[string]*word), make(map[string]int)
	}
	doc := len(x.docs)
	if n := len(x.free); n > 0 {
		doc, x.free = x.free[n-1], x.free[:n-1]
		x.docs[doc] = name
	} else {
		x.docs = append(x.docs, name)
	}
	x.byDoc[name] = doc
	for text, field := range bestFields(texts) {
		w := x.byText[text]
		if w == nil {
			w = newWord(text)
			w.at = len(x.words)
			x.words = append(x.words, w)
			x.byText[text] = w
		}
		w.posts = append(w.posts, post{doc, field})
	}
}

// Remove takes a tool out, which is there with these texts.
func (x *Index) Remove(name string, texts map[Field][]string) {
	doc := x.byDoc[name]
	for text := range bestFields(texts) {
		w := x.byText[text]
		w.posts = slices.DeleteFunc(w.posts, func(p post) bool { return p.doc == doc })
		if len(w.posts) > 0 {
			continue
		}
		delete(x.byText, text)
		last := x.words[len(x.words)-1]
		x.words[w.at], last.at = last, w.at
		x.words = x.words[:len(x.words)-1]
	}
	delete(x.byDoc, name)
	x.docs[doc] = ""
	x.free = append(x.free, doc)
}

// bestFields are the different words of texts with the best place of each.
func bestFields(texts map[Field][]string) map[string]Field {
	best := make(map[string]Field)
	for f := range fields { // the best first
		for _, text := range texts[f] {
			parts := Words(text)
			if f == Name {
				parts = []string{strings.ToLower(text)}
			}
			for _, w := range parts {
				if _, known := best[w]; !known {
					best[w] = f
				}
			}
		}
	}
	return best
}

// maxWord is the longest word that is kept, in bytes; of longer ones the beginning counts.
const maxWord = 64

// Words are the words of a text, in lower case.
func Words(text string) []string {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range list {
		if len(w) > maxWord {
			list[i] = strings.ToValidUTF8(w[:maxWord], "")
		}
	}
	return list
}

func newWord(text string) *word {
	return &word{text: text, runes: []rune(text), letters: lettersOf(text)}
}

// lettersOf has a bit for each letter; letters may share one.
func lettersOf(text string) uint64 {
	var bits uint64
	for _, r := range text {
		bits |= 1 << (uint32(r) % 64)
	}
	return bits
}

// Hit is a tool that was found.
type Hit struct {
	Name  string
	Score int
}

// Find yields the tools that have every word of a query, the best first and of those
// equally good the first by name; who needs only a few pays for no more. A word is matched by itself, by one that begins with it,
// and, from three letters on, by one that holds it or, when there is none of these, by one
// that is a slip or two away.
func (x *Index) Find(query string) iter.Seq[Hit] {
	terms := queryTerms(query)
	total, best := make([]int32, len(x.docs)), make([]int32, len(x.docs))
	for i, term := range terms {
		clear(best)
		x.match(newWord(term), best)
		for doc, score := range best {
			if score == 0 || i > 0 && total[doc] == 0 {
				total[doc] = 0
				continue
			}
			total[doc] += score
		}
	}
	found := 0
	for _, score := range total {
		if score > 0 {
			found++
		}
	}
	return func(yield func(Hit) bool) {
		rest := make(hits, 0, found)
		for doc, score := range total {
			if score > 0 {
				rest = append(rest, Hit{x.docs[doc], int(score)})
			}
		}
		heap.Init(&rest)
		for len(rest) > 0 && yield(heap.Pop(&rest).(Hit)) {
		}
	}
}

// hits is a heap with the best at the top.
type hits []Hit

func (h hits) Len() int      { return len(h) }
func (h hits) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h hits) Less(i, j int) bool {
	if h[i].Score != h[j].Score {
		return h[i].Score > h[j].Score
	}
	return h[i].Name < h[j].Name
}
func (h *hits) Push(hit any) { *h = append(*h, hit.(Hit)) }

func (h *hits) Pop() any {
	last := len(*h) - 1
	hit := (*h)[last]
	*h = (*h)[:last]
	return hit
}

// maxTerms is how many words of a query count.
const maxTerms = 16

// queryTerms are the different words of a query. A word that is like a name is one.
func queryTerms(query string) []string {
	var terms []string
	for _, field := range strings.Fields(strings.ToLower(query)) {
		words := Words(field)
		if strings.Trim(field, "abcdefghijklmnopqrstuvwxyz0123456789_-") == "" && len(words) > 0 && len(field) <= maxWord {
			words = []string{field}
		}
		for _, w := range words {
			if len(terms) < maxTerms && !slices.Contains(terms, w) {
				terms = append(terms, w)
			}
		}
	}
	return terms
}
