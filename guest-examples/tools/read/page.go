package read

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/filehash"
	"github.com/wasmtool/wasmtool/guest-examples/internal/pdftext"
	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

// keep is the number of bytes that are kept of a line: MaxLineChars characters of four bytes, and
// one more byte to detect that the line was cut.
const keep = 4*MaxLineChars + 1

// page is the part of a file that is shown: the lines from first to first+limit-1. The first line
// of a file has the number 1.
type page struct {
	fsys         fs.FS
	name         string
	first, limit int64
	out          bytes.Buffer
	metadata     map[string]any
	kind         string // "text", "pdf" or "directory"

	shown   int64 // lines written
	size    int   // bytes written
	invalid bool  // a line contained bytes that are not UTF-8
}

// room reports whether a line of the given number of bytes still fits in the output.
func (p *page) room(bytes int) bool {
	return p.shown < p.limit && (p.shown == 0 || p.size+bytes <= MaxOutput)
}

func (p *page) write(line []byte) {
	p.out.Write(line)
	p.size += len(line)
	p.shown++
}

// end writes a note about what the page leaves out. total is the number of all lines or entries. If
// the parameter more is set, there may be more than total. The parameter unit is "lines" or
// "entries".
func (p *page) end(unit string, total int64, more bool) {
	last := p.first + p.shown - 1
	if !more {
		p.metadata[unit] = total
	}
	p.metadata["truncated"] = last < total || more
	if p.first == 1 && last == total && !more {
		return
	}
	count := strconv.FormatInt(total, 10)
	if more {
		count = "more than " + count
	}
	fmt.Fprintf(&p.out, "\n(showing %s %d-%d of %s", unit, p.first, last, count)
	if last < total || more {
		fmt.Fprintf(&p.out, "; continue with offset=%d", last+1)
	}
	fmt.Fprint(&p.out, ")\n")
}

// directory writes the entries of a directory, one on each line. The name of a directory ends with
// a slash.
func (p *page) directory() error {
	p.kind = "directory"
	entries, err := fs.ReadDir(p.fsys, p.name)
	if err != nil {
		return p.explain(err)
	}
	total := int64(len(entries))
	if total == 0 {
		fmt.Fprintf(&p.out, "(%s is an empty directory)\n", workspace.Display(p.name))
		return nil
	}
	if p.first > total {
		return fmt.Errorf("offset %d is too large: the directory %s has %d entries", p.first, workspace.Display(p.name), total)
	}
	for _, entry := range entries[p.first-1:] {
		line := workspace.Display(entry.Name())
		if entry.IsDir() {
			line += "/"
		}
		line += "\n"
		if !p.room(len(line)) {
			break
		}
		p.write([]byte(line))
	}
	p.end("entries", total, false)
	return nil
}

// finish writes the page as a result. The text of the result is only the page. Facts about the file
// are in the metadata for programs and in the title for people.
func (p *page) finish(out io.Writer) error {
	title := "Read " + workspace.Display(p.name)
	if lines, ok := p.metadata["lines"]; ok {
		title += " (" + toolabi.Quantity(lines, "line") + ")"
	}
	return toolabi.WriteResult(out, toolabi.DetailedResult(title, p.out.String(), p.metadata, p.details()))
}

// details returns the facts about the page for programs. A fact is missing if it is unknown.
func (p *page) details() map[string]any {
	details := map[string]any{"path": p.name, "kind": p.kind, "truncated": p.metadata["truncated"] == true}
	for of, name := range map[string]string{"lines": "lineCount", "entries": "entryCount", "pages": "pageCount", "file_hash": "fileHash"} {
		if value, ok := p.metadata[of]; ok {
			details[name] = value
		}
	}
	if p.shown > 0 {
		details["first"], details["last"] = p.first, p.first+p.shown-1
	}
	return details
}

// file writes an image, or lines of a text file or of the text of a PDF file. size is the size of
// the file in bytes.
func (p *page) file(size int64, out io.Writer) error {
	f, err := p.fsys.Open(p.name)
	if err != nil {
		return p.explain(err)
	}
	defer f.Close()
	return p.content(f, size, out)
}

// content writes an image, or a page of a text or of a PDF file. It reads the file from seen.
func (p *page) content(seen io.Reader, size int64, out io.Writer) error {
	var hash filehash.Hash
	if size <= filehash.MaxSize {
		seen = io.TeeReader(seen, &hash)
	}
	// Use a small buffer for a small file, since each call has to clear the buffer first.
	source := bufio.NewReaderSize(seen, int(max(text.SniffLen, min(size, 64<<10))))
	head, err := source.Peek(imageHead)
	if err != nil && err != io.EOF {
		return p.explain(err)
	}
	if format, ok := formatOf(head); ok {
		return p.image(format, source, out)
	}
	if pdftext.IsPDF(head) {
		return p.pdf(source, out)
	}
	decoded, err := text.NewReader(source)
	if errors.Is(err, text.ErrBinary) {
		return fmt.Errorf("file_path: %s is a binary file of %d bytes; read shows only text, images (PNG, JPEG, GIF, WebP) and the text of PDF files", workspace.Display(p.name), size)
	}
	if err != nil {
		return p.explain(err)
	}
	if err := p.lines(text.NewLineReader(decoded, keep)); err != nil {
		return err
	}
	if size <= filehash.MaxSize {
		// Read the rest only to count its lines.
		if _, err := io.Copy(io.Discard, source); err != nil {
			return p.explain(err)
		}
		p.metadata["file_hash"] = hash.Text()
	}
	return p.finish(out)
}

// explain rewords an error from reading the file.
func (p *page) explain(err error) error {
	return workspace.Explain(p.fsys, "file_path", p.name, err)
}

// lines writes the requested page of a text.
func (p *page) lines(in *text.LineReader) error {
	var passed int64 // number of lines before the page
	for ; passed < p.first-1; passed++ {
		if _, _, err := in.Next(); err == io.EOF {
			break
		} else if err != nil {
			return p.explain(err)
		}
	}
	var line []byte
	full := false
	for !full && p.shown < p.limit {
		start, length, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return p.explain(err)
		}
		var valid bool
		line, valid = appendLine(line[:0], p.first+p.shown, start, length)
		if full = !p.room(len(line)); !full {
			p.write(line)
			p.invalid = p.invalid || !valid
		}
	}
	if p.shown == 0 {
		if p.first == 1 {
			fmt.Fprintf(&p.out, "(%s is empty)\n", workspace.Display(p.name))
			p.metadata["lines"] = 0
			return nil
		}
		return fmt.Errorf("offset %d is too large: the last line of %s is %d", p.first, workspace.Display(p.name), passed)
	}
	rest, more, err := in.Count(MaxCounted)
	if err != nil {
		return p.explain(err)
	}
	if full {
		rest++ // count the line that did not fit
	}
	if p.invalid {
		fmt.Fprint(&p.out, "\n(not UTF-8; invalid bytes are shown as \uFFFD)\n")
	}
	p.end("lines", p.first+p.shown-1+rest, more)
	return nil
}

// appendNumber appends a number as the verb %6d of package fmt does, but much faster.
func appendNumber(line []byte, number int64) []byte {
	const width = 6
	var digits [20]byte
	text := strconv.AppendInt(digits[:0], number, 10)
	for range width - len(text) {
		line = append(line, ' ')
	}
	return append(line, text...)
}

// appendLine appends the line and its number. The parameter start is the beginning of the line, and
// length is the length of the whole line in bytes. valid reports whether the shown part is valid
// UTF-8.
func appendLine(line []byte, number int64, start []byte, length int64) (numbered []byte, valid bool) {
	line = append(appendNumber(line, number), '\t')
	shown, cut := text.Clip(start, MaxLineChars)
	if valid = utf8.Valid(shown); valid {
		line = append(line, shown...)
	} else {
		line = append(line, text.Valid(shown)...)
	}
	if cut || int64(len(start)) < length {
		line = fmt.Appendf(line, " … (line cut after %d characters; it has %d bytes)", MaxLineChars, length)
	}
	return append(line, '\n'), valid
}
