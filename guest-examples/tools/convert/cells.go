package convert

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// cellReader reads the cells of CSV. In contrast to encoding/csv, it accepts a carriage return
// alone as the end of a line, and keeps carriage returns in quotes.
type cellReader struct {
	text  string
	at    int // the next byte
	comma string
	ends  string // the bytes that end a cell without quotes, and the quote
	line  int    // the line of the last row, counted from 1
	lines int    // the number of lines before the next byte
}

func newCellReader(text string, comma rune) *cellReader {
	return &cellReader{text: text, comma: string(comma), ends: "\r\n\"" + string(comma)}
}

// next returns the cells of the next line that is not empty. The error is io.EOF after the last
// line.
func (r *cellReader) next() ([]string, error) {
	for r.endLine() {
		// Skip empty lines.
	}
	if r.at == len(r.text) {
		return nil, io.EOF
	}
	r.line = r.lines + 1
	var cells []string
	for {
		cell, err := r.cell()
		if err != nil {
			return nil, err
		}
		cells = append(cells, cell)
		if r.skip(r.comma) {
			continue
		}
		if r.at == len(r.text) || r.endLine() {
			return cells, nil
		}
		return nil, r.errorAt(r.at, `a cell continues after its closing quote; double a quote inside a cell ("")`)
	}
}

// cell reads a cell.
func (r *cellReader) cell() (string, error) {
	if r.skip(`"`) {
		return r.quoted()
	}
	cell := r.text[r.at:]
	if end := strings.IndexAny(cell, r.ends); end >= 0 {
		cell = cell[:end]
	}
	r.at += len(cell)
	if strings.HasPrefix(r.text[r.at:], `"`) {
		return "", r.errorAt(r.at, `a quote is inside a cell; put the cell in quotes and double the quote ("")`)
	}
	return cell, nil
}

// quoted reads the rest of a cell in quotes.
func (r *cellReader) quoted() (string, error) {
	start := r.at
	var cell strings.Builder
	for {
		part, _, closed := strings.Cut(r.text[r.at:], `"`)
		if !closed {
			return "", r.errorAt(start-1, "the quote is not closed")
		}
		cell.WriteString(part)
		r.at += len(part) + 1
		if !r.skip(`"`) {
			r.lines += lineEnds(r.text[start:r.at])
			return cell.String(), nil
		}
		cell.WriteByte('"')
	}
}

// skip moves past a prefix of the rest, and reports whether there was one.
func (r *cellReader) skip(prefix string) bool {
	found := strings.HasPrefix(r.text[r.at:], prefix)
	if found {
		r.at += len(prefix)
	}
	return found
}

// endLine moves past the end of a line, and reports whether there was one.
func (r *cellReader) endLine() bool {
	found := r.skip("\r\n") || r.skip("\n") || r.skip("\r")
	if found {
		r.lines++
	}
	return found
}

// errorAt returns an error with the line and the column of a byte.
func (r *cellReader) errorAt(at int, message string) error {
	return fmt.Errorf("line %d, column %d: %s", lineEnds(r.text[:at])+1, column(r.text[:at]), message)
}

// lineEnds counts the ends of lines, each of which is \r\n, \n or \r.
func lineEnds(text string) int {
	return strings.Count(text, "\n") + strings.Count(text, "\r") - strings.Count(text, "\r\n")
}

// column returns the number of the character after text in its line, counted from 1.
func column(text string) int {
	return utf8.RuneCountInString(text[strings.LastIndexAny(text, "\r\n")+1:]) + 1
}
