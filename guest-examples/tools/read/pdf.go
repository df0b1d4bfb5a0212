package read

import (
	"fmt"
	"io"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/filehash"
	"github.com/wasmtool/wasmtool/guest-examples/internal/pdftext"
	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

// MaxPDF limits the size of a PDF file in bytes, because the whole file is kept in memory.
const MaxPDF = 32 << 20

// pdf writes the requested lines of the text of a PDF file.
func (p *page) pdf(file io.Reader, out io.Writer) error {
	p.kind = "pdf"
	shown := workspace.Display(p.name)
	data, err := io.ReadAll(io.LimitReader(file, MaxPDF+1))
	if err != nil {
		return p.explain(err)
	}
	if len(data) > MaxPDF {
		return fmt.Errorf("file_path: %s is a PDF file of more than the limit of %d bytes; split it", shown, MaxPDF)
	}
	doc, err := pdftext.Extract(data)
	if err != nil {
		return fmt.Errorf("file_path: %s %w", shown, err)
	}
	if err := p.lines(text.NewLineReader(strings.NewReader(doc.Text), keep)); err != nil {
		return err
	}
	fmt.Fprintf(&p.out, "\n(the text of a PDF file of %s)\n", toolabi.Quantity(doc.Pages, "page"))
	for _, note := range doc.Notes {
		fmt.Fprintf(&p.out, "(%s)\n", note)
	}
	p.metadata["pages"] = doc.Pages
	if len(data) <= filehash.MaxSize {
		p.metadata["file_hash"] = filehash.Of(data)
	}
	return p.finish(out)
}
