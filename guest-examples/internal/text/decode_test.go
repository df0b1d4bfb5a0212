package text

import (
	"bufio"
	"bytes"
	"io"
	"testing"
)

// Decode agrees with NewReader.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("plain text\n"))
	f.Add([]byte("with\r\nreturns\r\n"))
	f.Add([]byte("\xef\xbb\xbfwith a mark"))
	f.Add([]byte("\xff\xfew\x00i\x00d\x00e\x00"))
	f.Add([]byte("\xfe\xff\x00w"))
	f.Add([]byte("\xff\xfeodd"))
	f.Add([]byte("binary\x00"))
	f.Add([]byte("\x01\x02\x03"))
	f.Add(append(bytes.Repeat([]byte("x"), SniffLen), 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		var want []byte
		r, wantErr := NewReader(bufio.NewReaderSize(bytes.NewReader(data), SniffLen))
		if wantErr == nil {
			want, wantErr = io.ReadAll(r)
		}
		got, plain, err := Decode(bytes.Clone(data))
		if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got, want) {
			t.Errorf("%q: got %q, %v, want %q, %v", data, got, err, want, wantErr)
		}
		if plain && bytes.ContainsAny(data, "\r\x00\x7f\x1b") {
			t.Errorf("%q is reported as plain", data)
		}
	})
}
