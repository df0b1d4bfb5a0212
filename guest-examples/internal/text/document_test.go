package text

import (
	"bytes"
	"errors"
	"testing"
	"unicode/utf8"
)

func TestDocument(t *testing.T) {
	tests := []struct {
		name, data, text string
		unknown          bool
		changed          string // the file with x instead of its text
	}{
		{name: "empty", changed: "x"},
		{name: "plain", data: "ä\r\n", text: "ä\r\n", changed: "x"},
		{name: "UTF-8 mark", data: "\xef\xbb\xbfä", text: "ä", changed: "\xef\xbb\xbfx"},
		{name: "UTF-8 mark alone", data: "\xef\xbb\xbf", changed: "\xef\xbb\xbfx"},
		{name: "two marks", data: "\xef\xbb\xbf\xef\xbb\xbf", text: "\ufeff", changed: "\xef\xbb\xbfx"},
		{name: "UTF-16 LE", data: "\xff\xfe\xe4\x00\x3d\xd8\x00\xde", text: "ä😀", changed: "\xff\xfex\x00"},
		{name: "UTF-16 BE", data: "\xfe\xff\x00\xe4\xd8\x3d\xde\x00", text: "ä😀", changed: "\xfe\xff\x00x"},
		{name: "UTF-16 mark alone", data: "\xff\xfe", changed: "\xff\xfex\x00"},
		{name: "UTF-16 with an odd byte", data: "\xff\xfea\x00b", text: "a", changed: "\xff\xfex\x00b"},
		{name: "UTF-16 with half pairs", data: "\xff\xfe\x00\xdc\x3d\xd8a\x00\x3d\xd8", text: "\xed\xb0\x80\xed\xa0\xbda\xed\xa0\xbd", changed: "\xff\xfex\x00"},
		{name: "Latin-1", data: "caf\xe9", text: "caf\xe9", unknown: true, changed: "x"},
		{name: "mark and Latin-1", data: "\xef\xbb\xbf\xe9", text: "\xe9", unknown: true, changed: "\xef\xbb\xbfx"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := ParseDocument([]byte(test.data))
			if err != nil {
				t.Fatal(err)
			}
			if string(d.Text) != test.text || d.Unknown != test.unknown {
				t.Errorf("got %q, unknown %v; want %q, %v", d.Text, d.Unknown, test.text, test.unknown)
			}
			if got := d.Bytes(d.Text); string(got) != test.data {
				t.Errorf("the same text gives %q, want %q", got, test.data)
			}
			if got := d.Bytes([]byte("x")); string(got) != test.changed {
				t.Errorf("another text gives %q, want %q", got, test.changed)
			}
		})
	}
}

func TestEncoding(t *testing.T) {
	for data, want := range map[string]string{
		"a":                 "UTF-8",
		"\xef\xbb\xbfa":     "UTF-8 with a byte order mark",
		"\xff\xfea\x00":     "UTF-16 (little-endian)",
		"\xfe\xff\x00a":     "UTF-16 (big-endian)",
		"\xfe\xff\x00a\x01": "UTF-16 (big-endian) with the byte 0x01 after the last character",
	} {
		d, err := ParseDocument([]byte(data))
		if err != nil || d.Encoding() != want {
			t.Errorf("%q: got %q, %v; want %q", data, d.Encoding(), err, want)
		}
	}
}

func TestParseDocument_binary(t *testing.T) {
	for _, data := range []string{"a\x00", "a\x00b\x00", "\xff\xfe\x00\x00a\x00\x00\x00", "\xef\xbb\xbf\x00", "\x01\x02\x03"} {
		if _, err := ParseDocument([]byte(data)); !errors.Is(err, ErrBinary) {
			t.Errorf("%q: got %v, want ErrBinary", data, err)
		}
	}
}

func FuzzDocument(f *testing.F) {
	for _, seed := range []string{"", "a\xff", "\xef\xbb\xbfa", "\xff\xfea\x00\x00\xd8", "\xfe\xff\xd8\x00\xdc\x00a"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		d, err := ParseDocument(data)
		if err != nil {
			return
		}
		if got := d.Bytes(d.Text); !bytes.Equal(got, before) {
			t.Errorf("%q became %q", before, got)
		}
		// A character in front of the text leaves the other bytes of the file unchanged.
		if marked := bytes.HasPrefix(data, []byte("\xff\xfe")); marked && utf8.Valid(d.Text) {
			if got := d.Bytes(append([]byte("x"), d.Text...)); !bytes.HasSuffix(got, before[2:]) {
				t.Errorf("%q with a character in front became %q", before, got)
			}
		}
	})
}
