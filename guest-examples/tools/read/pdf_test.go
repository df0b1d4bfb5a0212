package read

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/wasmtool/wasmtool/guest-examples/internal/filehash"
	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
)

// The text of a PDF file is shown in pages of lines, like any other text.
func TestRun_pdf(t *testing.T) {
	data, err := os.ReadFile("../../internal/pdftext/testdata/xelatex.pdf")
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{"d/paper": {Data: data}}
	var out strings.Builder
	if err := Run(fsys, Args{FilePath: "d/paper", Offset: 2, Limit: 2}, &out); err != nil {
		t.Fatal(err)
	}
	const want = `     2	Xelatex text with Identity-H fonts. Efficient offices. Русский Ελληνικά.
     3	Second paragraph — with dashes.

(showing lines 2-3 of 5; continue with offset=4)

(the text of a PDF file of 1 page)
`
	got := tooltest.Parse(t, out.String())
	if got.Text() != want {
		t.Errorf("got\n%s\nwant\n%s", got.Text(), want)
	}
	if m := got.Metadata; m["pages"] != 1. || m["lines"] != 5. || m["file_hash"] != filehash.Of(data) {
		t.Errorf("got %v", m)
	}
}

func TestRun_badPDF(t *testing.T) {
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"damaged": {[]byte("%PDF-1.7\n\x00"), "file_path: f is a damaged PDF file, or its format is unknown"},
		"large":   {append([]byte("%PDF-1.7\n"), make([]byte, MaxPDF)...), "file_path: f is a PDF file of more than the limit of 33554432 bytes; split it"},
	} {
		if _, err := readText(t, fstest.MapFS{"f": {Data: test.data}}, Args{FilePath: "f"}); err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}
