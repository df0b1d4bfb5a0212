// Package pdftext extracts the text of PDF files. github.com/ledongthuc/pdf reads the objects,
// streams and encryption of a file. This package interprets the drawing instructions of a page,
// because the text that the library returns has no space between words.
package pdftext

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
)

const (
	// MaxPages limits the pages read of a file.
	MaxPages = 3000
	// MaxText limits the text of a file, in bytes.
	MaxText = 4 << 20
	// maxContent limits the unpacked bytes of all streams of a file, and maxStream the bytes of one
	// stream.
	maxContent = 128 << 20
	maxStream  = 16 << 20
	// maxOperators limits the operators executed in all streams.
	maxOperators = 10_000_000
	// maxNodes limits the visited nodes of the page tree.
	maxNodes = 100_000
	// maxDepth limits the nesting of forms and of the page tree.
	maxDepth = 32
)

// The errors that Extract wraps. A caller puts the name of the file in front of the message.
var (
	// ErrEncrypted reports that the file needs a password or has an unknown cipher.
	ErrEncrypted = errors.New("is an encrypted PDF file that can't be opened; use a copy that is not encrypted")
	// ErrDamaged reports an inconsistent file.
	ErrDamaged = errors.New("is a damaged PDF file, or its format is unknown")
	// ErrNoText reports that the pages have no text, or none that can be decoded.
	ErrNoText = errors.New("is a PDF file without text, probably scanned; its pages are images")
)

// Document is the text of a file.
type Document struct {
	// Title is the title of the file, on one line; may be empty.
	Title string
	// Pages is the number of pages of the file.
	Pages int
	// Text is the text of the pages in drawing order, each after a line "--- page 1 ---". It is
	// valid UTF-8.
	Text string
	// Notes are sentences about missing text; empty if nothing is missing.
	Notes []string
}

// Extract returns the text of a PDF file. For any data, it returns a text or an error in bounded
// time. A malicious file may still use unbounded memory, which a sandbox has to limit. data must
// not change during the call.
func Extract(data []byte) (doc Document, err error) {
	file, err := newFile(data)
	if err != nil {
		return Document{}, err
	}
	encrypted := bytes.Contains(data, []byte("/Encrypt"))
	defer func() {
		if recover() != nil { // the library panics on damage
			doc, err = Document{}, ErrDamaged
		}
		if encrypted && errors.Is(err, ErrDamaged) {
			err = ErrEncrypted
		}
	}()
	reader, err := pdf.NewReader(file, file.size())
	if err != nil {
		return Document{}, ErrDamaged
	}
	x := extractor{file: file, fonts: map[string]*font{}, names: names{}, content: maxContent, operators: maxOperators}
	root := reader.Trailer().Key("Root")
	if root.Kind() != pdf.Dict {
		return Document{}, ErrDamaged
	}
	pages := root.Key("Pages")
	// If the tree can't be read to its end, later pages are not found.
	if !try(func() { x.tree(pages, pdf.Value{}, 0) }) && x.stopped == 0 {
		x.stopped = x.pages + 1
		x.pages = max(x.stopped, int(min(pages.Key("Count").Int64(), maxNodes)))
	}
	if !encrypted { // titles of encrypted files end with padding that the library leaves
		doc.Title = titleOf(reader.Trailer().Key("Info"))
	}
	return x.document(doc)
}

// titleOf returns the title in a file's information, on one line.
func titleOf(info pdf.Value) string {
	return strings.Join(strings.Fields(clean(info.Key("Title").Text())), " ")
}

// extractor reads the pages of a file.
type extractor struct {
	file  *file
	fonts map[string]*font // by their dictionaries, as the library prints them
	names names
	text  strings.Builder
	nodes int // visited nodes of the page tree
	pages int // pages of the file
	// lettered is the number of drawn characters. unknown is the number of drawn characters for
	// which the file gives no text.
	lettered, unknown int
	broken            []int // pages with errors
	stopped           int   // the first page that was not read, or 0

	content   int // bytes of streams that may still be unpacked
	operators int // operators that may still be executed
}

// tree reads the pages below a node.
func (x *extractor) tree(node, resources pdf.Value, depth int) {
	if own := node.Key("Resources"); own.Kind() == pdf.Dict {
		resources = own
	}
	kids := node.Key("Kids")
	if kids.Kind() != pdf.Array {
		if node.Kind() == pdf.Dict {
			x.page(node, resources)
		}
		return
	}
	if x.nodes++; depth == maxDepth || x.nodes > maxNodes {
		return
	}
	for i := range kids.Len() {
		x.tree(kids.Index(i), resources, depth+1)
	}
}

// page appends the text of a page.
func (x *extractor) page(node, resources pdf.Value) {
	x.pages++
	if x.stopped == 0 && (x.pages > MaxPages || x.text.Len() >= MaxText || x.operators <= 0 || x.content <= 0 || x.file.spent()) {
		x.stopped = x.pages
	}
	if x.stopped > 0 {
		return
	}
	p := painter{extractor: x, state: state{ctm: identity, stretch: 1}}
	if !try(func() { p.run(x.contents(node.Key("Contents")), resources, 0) }) {
		x.broken = append(x.broken, x.pages)
	}
	fmt.Fprintf(&x.text, "--- page %d ---\n", x.pages)
	if text := p.lines.text(); text != "" {
		x.text.WriteString(text + "\n")
	}
	x.text.WriteByte('\n')
}

// try calls the function do, and reports whether it returned. The library panics if a file is
// damaged.
func try(do func()) (done bool) {
	defer func() {
		if !done {
			_ = recover()
		}
	}()
	do()
	return true
}

// contents returns the content of a page, from one stream or several.
func (x *extractor) contents(value pdf.Value) []byte {
	if value.Kind() != pdf.Array {
		return x.stream(value)
	}
	var all []byte
	for i := range value.Len() {
		all = append(append(all, x.stream(value.Index(i))...), '\n')
		if len(all) > maxStream {
			break
		}
	}
	return all
}

// document assembles the result.
func (x *extractor) document(doc Document) (Document, error) {
	doc.Pages = x.pages
	switch {
	case x.pages == 0, x.stopped == 1, x.lettered == 0 && len(x.broken) == x.pages:
		return Document{}, ErrDamaged
	case x.lettered == x.unknown && x.unknown > 0:
		return Document{}, fmt.Errorf("%w, or its fonts do not say which letters they draw", ErrNoText)
	case x.lettered == 0 && x.stopped == 0:
		return Document{}, ErrNoText
	}
	doc.Text = strings.TrimRight(x.text.String(), "\n") + "\n"
	if x.stopped > 0 {
		doc.Notes = append(doc.Notes, fmt.Sprintf("only the first %d of %d pages were read; the others are too many, too large or damaged", x.stopped-1, x.pages))
	}
	if n := len(x.broken); n > 0 {
		doc.Notes = append(doc.Notes, fmt.Sprintf("%d of %d pages are damaged and may lack text, page %d first", n, x.pages, x.broken[0]))
	}
	if x.unknown > 0 {
		doc.Notes = append(doc.Notes, fmt.Sprintf("%d of %d characters have no text in the file and are shown as \uFFFD", x.unknown, x.lettered))
	}
	return doc, nil
}
