package pdftext

import (
	"bytes"
	"errors"
	"io"
	"runtime"

	"github.com/ledongthuc/pdf"
)

const (
	// maxHead limits the bytes before the header of a PDF file.
	maxHead = 1024
	// block is the smallest number of bytes that the library reads at a time. maxRead limits all
	// bytes read, counted in whole blocks; it stops circular references.
	block   = 4096
	maxRead = 1 << 30
)

// header replaces the header of the file, because the library knows only a few versions. The
// replacement does not move any object.
const header = "%PDF-1.7\n"

var errEntangled = errors.New("the file has circular references")

// file is a PDF file in the form that the library needs.
type file struct {
	data []byte
	read int64
}

// newFile returns the PDF file in data, without the bytes before and after it.
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

// spent reports whether the limit maxRead is reached.
func (f *file) spent() bool {
	return f.read > maxRead
}

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, offset int64) (int, error) {
	f.read += max(block, int64(len(p)))
	// Go in WebAssembly has no preemption. If the clock is fake, the garbage collector therefore
	// falls behind until the program yields.
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

// stream returns the unpacked content of a stream. It stops at damaged data and at the limits.
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

// IsPDF reports whether a file begins like a PDF file.
func IsPDF(head []byte) bool {
	return bytes.HasPrefix(head, []byte("%PDF-"))
}
