// Package pdftext gives the text of PDF files. github.com/ledongthuc/pdf reads the file: its
// objects, streams and encryption. What the streams of a page draw, with which fonts and
// where, is worked out here, since words come out joined there.
package pdftext

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
)

const (
	// MaxPages is how many pages of a file are read.
	MaxPages = 3000
	// MaxText is how many bytes of text are taken from a file.
	MaxText = 4 << 20
	// maxContent is how many bytes the streams of a file may have, unpacked, and maxStream
	// how many one of them.
	maxContent = 128 << 20
	maxStream  = 16 << 20
	// maxOperators is how many operators of all streams are carried out.
	maxOperators = 10_000_000
	// maxNodes is how many nodes of the tree of pages are visited.
	maxNodes = 100_000
	// maxDepth is how deep forms and the tree of pages may nest.
	maxDepth = 32
)

// The errors that Extract wraps. Their texts go on after the name of a file.
var (
	// ErrEncrypted tells that a password is needed, or a cipher that is not known.
	ErrEncrypted = errors.New("is an encrypted PDF file that cannot be opened here; use a copy of it that is not encrypted")
	// ErrDamaged tells that the file does not hold together.
	ErrDamaged = errors.New("is a damaged PDF file, or one in a form that is not known")
	// ErrNoText tells that the pages hold no text, or none that can be told.
	ErrNoText = errors.New("is a PDF file without text, such as a scanned one; its pages are images")
)

// Document is the text of a file.
type Document struct {
	// Title is that of the file, on one line; may be empty.
	Title string
	// Pages is how many pages the file has.
	Pages int
	// Text is the text of the pages in the order in which they draw it, each after a line
	// "--- page 1 ---". It is valid UTF-8.
	Text string
	// Notes are sentences about what the text lacks; none if that is nothing.
	Notes []string
}

// Extract returns the text of a PDF file. Any data ends in a text or an error, in bounded
// time; a file made for the purpose may still take memory without bound, which a sandbox
// has to limit. data must not change meanwhile.
func Extract(data []byte) (doc Document, err error) {
	file, err := newFile(data)
	if err != nil {
		return Document{}, err
	}
	encrypted := bytes.Contains(data, []byte("/Encrypt"))
	defer func() {
		if recover() != nil { // the library's way to tell of damage
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
	if !try(func() { x.tree(pages, pdf.Value{}, 0) }) && x.stopped == 0 { // pages that lie behind are not found
		x.stopped = x.pages + 1
		x.pages = max(x.stopped, int(min(pages.Key("Count").Int64(), maxNodes)))
	}
	if !encrypted { // the library leaves padding at the end of texts that were encrypted
		doc.Title = titleOf(reader.Trailer().Key("Info"))
	}
	return x.document(doc)
}

// titleOf is the title that a file tells, on one line.
func titleOf(info pdf.Value) string {
	return strings.Join(strings.Fields(clean(info.Key("Title").Text())), " ")
}

// extractor reads the pages of a file.
type extractor struct {
	file  *file
	fonts map[string]*font // by how the library writes their dictionaries
	names names
	text  strings.Builder
	nodes int // of the tree of pages that were visited
	pages int // of the file
	// lettered is how many characters were drawn, and unknown how many of those have no
	// text that the file tells.
	lettered, unknown int
	broken            []int // pages that could not be read
	stopped           int   // the first page that was not read, or 0

	content   int // bytes of streams that may still be unpacked
	operators int // that may still be carried out
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

// page adds the text of a page.
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

// try reports whether do came to its end. The library panics where a file is damaged.
func try(do func()) (done bool) {
	defer func() {
		if !done {
			_ = recover()
		}
	}()
	do()
	return true
}

// contents is the content of a page: a stream, or several.
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

// document puts together what was found.
func (x *extractor) document(doc Document) (Document, error) {
	doc.Pages = x.pages
	switch {
	case x.pages == 0, x.stopped == 1, x.lettered == 0 && len(x.broken) == x.pages:
		return Document{}, ErrDamaged
	case x.lettered == x.unknown && x.unknown > 0:
		return Document{}, fmt.Errorf("%w, or letters in fonts that do not tell which letters they are", ErrNoText)
	case x.lettered == 0 && x.stopped == 0:
		return Document{}, ErrNoText
	}
	doc.Text = strings.TrimRight(x.text.String(), "\n") + "\n"
	if x.stopped > 0 {
		doc.Notes = append(doc.Notes, fmt.Sprintf("the text is that of the first %d pages of %d; the others are too many, too large or damaged", x.stopped-1, x.pages))
	}
	if n := len(x.broken); n > 0 {
		doc.Notes = append(doc.Notes, fmt.Sprintf("%d of %d pages are damaged and may lack text, page %d first", n, x.pages, x.broken[0]))
	}
	if x.unknown > 0 {
		doc.Notes = append(doc.Notes, fmt.Sprintf("%d of %d characters have no text in the file and are shown as \uFFFD", x.unknown, x.lettered))
	}
	return doc, nil
}
