package pdftext

import (
	"bytes"
	"errors"
	"io"
	"runtime"

	"github.com/ledongthuc/pdf"
)

const (
	// maxHead is how far from its beginning a file may begin to be PDF.
	maxHead = 1024
	// block is how much the library reads at least at a time, and maxRead how much in all,
	// counted in whole blocks: what leads in a circle comes to an end by it.
	block   = 4096
	maxRead = 1 << 30
)

// header replaces that of a file, of which the library knows a few only. Where the objects
// are it does not change.
const header = "%PDF-1.7\n"

var errEntangled = errors.New("the file leads in circles")

// file is a PDF file as the library wants it.
type file struct {
	data []byte
	read int64
}

// newFile cuts off what stands around a PDF file.
func newFile(data []byte) (*file, error) {
	start := bytes.Index(data[:min(len(data), maxHead)], []byte("%PDF-"))
	if start < 0 {
		return nil, ErrDamaged
	}
	data = data[start:]
	const mark = "%%EOF"
	if end := bytes.LastIndex(data, []byte(mark)); end >= 0 {
		data = data[:end+len(mark)]
	} else {
		data = append(bytes.Clone(data), "\n"+mark...)
	}
	return &file{data: data}, nil
}

func (f *file) size() int64 {
	return int64(len(f.data))
}

// spent reports that no more of the file is read.
func (f *file) spent() bool {
	return f.read > maxRead
}

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, offset int64) (int, error) {
	f.read += max(block, int64(len(p)))
	// Go in WebAssembly is not interrupted, and where the clock is not the real one collects
	// less and less garbage until its program gives way.
	runtime.Gosched()
	if f.spent() {
		return 0, errEntangled
	}
	if offset < 0 || offset >= f.size() {
		return 0, io.EOF
	}
	n := copy(p, f.data[offset:])
	if offset < int64(len(header)) {
		copy(p[:n], header[offset:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// stream unpacks a stream, as far as it is whole and not too large.
func (x *extractor) stream(value pdf.Value) []byte {
	if value.Kind() != pdf.Stream || x.content <= 0 {
		return nil
	}
	content := value.Reader()
	defer content.Close()
	data, _ := io.ReadAll(io.LimitReader(content, int64(min(maxStream, x.content))))
	x.content -= len(data)
	return data
}

// IsPDF reports a file that begins as PDF files do.
func IsPDF(head []byte) bool {
	return bytes.HasPrefix(head, []byte("%PDF-"))
}
