package grep

import (
	"io"

	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
)

// writeContext adds the hits of the file and the lines around them. It reads the file again: to be
// fast, the scanner keeps no lines.
func (r *report) writeContext(reopen func() (io.ReadCloser, error)) error {
	hits := r.hits
	r.hits = r.hits[:0]
	f, err := reopen()
	if err != nil {
		return err
	}
	defer f.Close()
	lines := text.NewLineReader(f, 4*MaxLineChars+1)
	written := int64(-1) // the last line added
	for i, number := 0, int64(1); ; number++ {
		line, _, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		after := i > 0 && number-hits[i-1].number <= r.after
		if i == len(hits) && !after || r.out.Len() >= MaxOutput {
			return nil
		}
		before := i < len(hits) && hits[i].number-number <= r.before
		if !before && !after {
			continue
		}
		if written != number-1 && r.out.Len() > 0 {
			r.out.WriteString("--\n")
		}
		written = number
		if i < len(hits) && hits[i].number == number {
			r.write(number, ':', hits[i].line)
			r.match("line", number)
			r.shown++
			i++
			continue
		}
		r.write(number, '-', excerpt(line, 0))
	}
}
