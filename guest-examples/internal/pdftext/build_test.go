package pdftext

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"testing"
)

// build returns a PDF file with the given objects, numbered from 1. The first is the catalog.
func build(objects ...string) []byte {
	return buildWith("", objects...)
}

// buildWith is build with additions to the trailer.
func buildWith(trailer string, objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	places := make([]int, len(objects))
	for i, object := range objects {
		places[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, place := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", place)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, trailer, at)
	return b.Bytes()
}

// stream returns a stream object with this content.
func stream(dictionary, content string) string {
	return fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream", dictionary, len(content), content)
}

// packed returns a stream object with this content, compressed.
func packed(t *testing.T, dictionary, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return stream(dictionary+"/Filter/FlateDecode", b.String())
}

const helvetica1 = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"

// pageOf returns a file with one page, which has this content and the font /F. The font is object
// 5; the objects in the parameter more are numbered from 6.
func pageOf(content, font string, more ...string) []byte {
	return build(append([]string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Count 1/Kids[3 0 R]/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R>>",
		stream("", content),
		font,
	}, more...)...)
}

// page returns the text of the only page of a file.
func page(t *testing.T, data []byte) string {
	t.Helper()
	doc, err := Extract(data)
	if err != nil {
		t.Fatal(err)
	}
	text, ok := strings.CutPrefix(doc.Text, "--- page 1 ---\n")
	if !ok || doc.Pages != 1 || len(doc.Notes) > 0 {
		t.Fatalf("got %+v", doc)
	}
	return strings.TrimSuffix(text, "\n")
}
