package source

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestRead(t *testing.T) {
	fsys := fstest.MapFS{
		"utf8":   {Data: []byte("\xef\xbb\xbfü")},
		"utf16":  {Data: []byte("\xff\xfea\x00b\x00")},
		"latin1": {Data: []byte("caf\xe9")},
		"empty":  {},
		"large":  {Data: make([]byte, Max+1)},
	}
	tests := []struct{ inline, file, want, err string }{
		{inline: "a", want: "a"},
		{inline: "\ufeffa", want: "a"},
		{inline: "\ufeff", want: ""},
		{file: "utf8", want: "ü"},
		{file: "/workspace/utf16", want: "ab"},
		{file: "empty", want: ""},
		{err: "give text or file_path"},
		{inline: "a", file: "utf8", err: "omit one"},
		{inline: strings.Repeat("a", Max+1), err: "the limit is"},
		{file: "large", err: "large is larger than"},
		{file: "latin1", err: "latin1 is not UTF-8"},
		{file: "utf-8", err: "did you mean utf8?"},
		{file: ".", err: "is a directory"},
	}
	for _, test := range tests {
		got, err := Read(fsys, test.inline, test.file)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%.10q, %s: got %v, want an error with %q", test.inline, test.file, err, test.err)
			}
		} else if err != nil || got != test.want {
			t.Errorf("%q, %s: got %q, %v; want %q", test.inline, test.file, got, err, test.want)
		}
	}
}
