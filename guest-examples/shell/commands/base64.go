package commands

import (
	"bytes"
	"encoding/base64"
	"io"
	"strconv"
)

var base64Spec = spec{name: "base64", synopsis: "[-d] [-i] [-w COLUMNS] [FILE]", options: "d,decode D i,ignore-garbage w,wrap:", run: runBase64}

func runBase64(p *process, o options, files []string) int {
	if len(files) > 1 {
		return p.fail("extra operand '%s'", files[1])
	}
	width, err := strconv.Atoi(o.value("w", "76"))
	if err != nil || width < 0 {
		return p.fail("invalid wrap size: '%s'", o.value("w", ""))
	}
	return p.eachInput(files, func(_ string, r io.Reader) error {
		if o.has("d") || o.has("D") {
			return p.decodeBase64(r, o.has("i"))
		}
		wrapped := &wrapWriter{w: p, width: width}
		encoder := base64.NewEncoder(base64.StdEncoding, wrapped)
		if err := p.copy(encoder, r); err != nil {
			return err
		}
		if err := encoder.Close(); err != nil {
			return err
		}
		if wrapped.column > 0 && width > 0 {
			p.print("\n")
		}
		return nil
	})
}

// decodeBase64 decodes Base64 with line breaks. With ignore, it skips all other invalid characters.
func (p *process) decodeBase64(r io.Reader, ignore bool) error {
	data, err := p.readAll(r)
	if err != nil {
		return err
	}
	data = bytes.Map(func(c rune) rune {
		if c == '\n' || ignore && !(c < 0x80 && (isAlnum(byte(c)) || c == '+' || c == '/' || c == '=')) {
			return -1
		}
		return c
	}, data)
	out := make([]byte, base64.StdEncoding.DecodedLen(len(data)))
	n, err := base64.StdEncoding.Decode(out, data)
	p.write(out[:n])
	if err != nil {
		p.errorf("invalid input")
	}
	return nil
}

// wrapWriter breaks its output into lines of equal length.
type wrapWriter struct {
	w             io.Writer
	width, column int
}

func (w *wrapWriter) Write(b []byte) (int, error) {
	if w.width == 0 {
		return w.w.Write(b)
	}
	for rest := b; len(rest) > 0; {
		n := min(w.width-w.column, len(rest))
		if _, err := w.w.Write(rest[:n]); err != nil {
			return 0, err
		}
		rest = rest[n:]
		if w.column += n; w.column == w.width {
			if _, err := w.w.Write([]byte("\n")); err != nil {
				return 0, err
			}
			w.column = 0
		}
	}
	return len(b), nil
}
