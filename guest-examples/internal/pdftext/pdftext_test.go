package pdftext

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// Extract reads a file from XeTeX, which has compressed objects and references, and fonts whose
// codes are glyph numbers.
func TestExtract_real(t *testing.T) {
	data, err := os.ReadFile("testdata/xelatex.pdf")
	if err != nil {
		t.Fatal(err)
	}
	const want = `Xelatex text with Identity-H fonts. Efficient offices. Русский Ελληνικά.
Second paragraph — with dashes.

1`
	if got := page(t, data); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPlaces checks how the position of text separates words and lines.
func TestPlaces(t *testing.T) {
	for name, test := range map[string]struct{ content, want string }{
		"words by moves":       {"BT /F 12 Tf 72 700 Td [(Hel)20(lo)-300(wor)-20(ld)]TJ ET", "Hello world"},
		"words by places":      {"BT /F 12 Tf 72 700 Td (Hello)Tj 30 0 Td (world)Tj ET", "Hello world"},
		"a space is not twice": {"BT /F 12 Tf 72 700 Td (Hello )Tj 33 0 Td (world)Tj ET", "Hello world"},
		"a part of a word":     {"BT /F 12 Tf 72 700 Td (Hel)Tj 18.01 0 Td (lo)Tj ET", "Hello"},
		"large by the matrix":  {"BT /F 1 Tf 12 0 0 12 72 700 Tm (Hel)Tj 1.501 0 Td (lo)Tj 1.3 0 Td (world)Tj ET", "Hello world"},
		"spread letters":       {"BT /F 12 Tf 3 Tc 72 700 Td (Hel)Tj 27.01 0 Td (lo)Tj ET", "Hello"},
		"spread words":         {"BT /F 12 Tf 10 Tw 72 700 Td (a b)Tj 26.7 0 Td (c)Tj ET", "a bc"},
		"stretched letters":    {"BT /F 12 Tf 50 Tz 72 700 Td (Hel)Tj 9 0 Td (lo)Tj ET", "Hello"},
		"lines":                {"BT /F 12 Tf 14 TL 72 700 Td (one)Tj T* (two)Tj (three)' 1 2 (four)\" ET", "one\ntwo\nthree\nfour"},
		"paragraphs":           {"BT /F 12 Tf 72 700 Td (one)Tj 0 -14 Td (two)Tj 0 -30 Td (three)Tj ET", "one\ntwo\n\nthree"},
		"cells":                {"BT /F 12 Tf 72 700 Td (Apple)Tj 100 0 Td (12)Tj ET", "Apple  12"},
		"columns":              {"BT /F 12 Tf 72 700 Td (left one)Tj 0 -14 TD (left two)Tj 200 14 Td (right one)Tj T* (right two)Tj ET", "left one\nleft two\nright one\nright two"},
		"raised":               {"BT /F 12 Tf 72 700 Td (x)Tj /F 8 Tf 5 Ts (2)Tj ET", "x2"},
		"upwards":              {"BT /F 12 Tf 0 1 -1 0 72 300 Tm (Hel)Tj 18.01 0 Td (lo)Tj ET", "Hello"},
		"turned":               {"BT /F 12 Tf 72 700 Td (flat)Tj 0 1 -1 0 92 700 Tm (upright)Tj ET", "flat\n\nupright"},
		"drawn twice":          {"BT /F 12 Tf 72 700 Td (bold)Tj 0.3 0 Td (bold)Tj ET", "bold"},
		"said twice":           {"BT /F 12 Tf 72 700 Td (so)Tj 16 0 Td (so)Tj ET", "so so"},
		"saved":                {"q 2 0 0 2 0 0 cm BT /F 12 Tf (a)Tj ET Q BT /F 12 Tf 13.4 0 Td (b)Tj ET", "ab"},
		"an image in between":  {"BT /F 12 Tf (a)Tj ET BI /W 1 /H 1 ID (\x00EI)) EI BT /F 12 Tf 6.7 0 Td (b)Tj ET", "ab"},
		"escapes":              {"BT /F 12 Tf (a\\(\\101\\051(b)\\\\\\\nc)Tj <4 1 4>Tj ET", "a(A)(b)\\cA@"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := page(t, pageOf(test.content, helvetica1)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestFonts checks the texts of font codes.
func TestFonts(t *testing.T) {
	const toUnicode = "1 begincodespacerange <0000> <FFFF> endcodespacerange\n" +
		"2 beginbfchar <0001> <0041> <0002> <00660069> endbfchar\n" +
		"2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<03A9> <D83DDE00>] endbfrange"
	const composite = "<</Type/Font/Subtype/Type0/Encoding/Identity-H/DescendantFonts[<</Subtype/CIDFontType2/DW 600/W[16 [500 500] 32 33 900]>>]"
	for name, test := range map[string]struct{ font, shown, want string }{
		"Windows":         {helvetica1, "(Caf\xe9 \x93x\x94 \x80)", "Café “x” €"},
		"Macintosh":       {"<</Subtype/TrueType/Encoding/MacRomanEncoding>>", "(Caf\x8e)", "Café"},
		"the standard":    {"<</Subtype/Type1>>", "(don't \xae \xfb)", "don’t fi ß"},
		"names":           {"<</Subtype/Type1/Encoding<</Differences[1/fi/f_f_i/eacute/uni03A9/Omega.alt 65/g65/alpha 225/aacute]>>>>", "(\x01 \x02 \x03 \x04 \x05 A B C \xe1)", "fi ffi é Ω Ω A α C á"},
		"its own program": {"<</Subtype/Type1/FontDescriptor<</Flags 4/FontFile 6 0 R>>>>", "(e\x0bect)", "effect"},
		"a map":           {composite + "/ToUnicode 6 0 R>>", "<0001 0002 0010 0011 0012 0020 0021>", "AfiabcΩ😀"},
		"UTF-16":          {"<</Subtype/Type0/Encoding/UniJIS-UCS2-H/DescendantFonts[<<>>]>>", "<65E5 672C>", "日本"},
	} {
		t.Run(name, func(t *testing.T) {
			more := stream("", toUnicode)
			if name == "its own program" {
				more = stream("", "/Encoding 256 array dup 11 /ff put readonly def currentfile eexec \x01\x02")
			}
			if got := page(t, pageOf("BT /F 12 Tf "+test.shown+" Tj ET", test.font, more)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A character for which the font gives no text is shown as U+FFFD and mentioned in a note.
func TestExtract_unknownLetters(t *testing.T) {
	const font = "<</Subtype/Type0/Encoding/Identity-H/DescendantFonts[<<>>]/ToUnicode 6 0 R>>"
	doc, err := Extract(pageOf("BT /F 12 Tf <00010002> Tj ET", font, stream("", "1 beginbfchar <0001> <0041> endbfchar")))
	if err != nil || doc.Text != "--- page 1 ---\nA\uFFFD\n" || len(doc.Notes) != 1 || doc.Notes[0] != "1 of 2 characters have no text in the file and are shown as \uFFFD" {
		t.Errorf("got %+v, %v", doc, err)
	}
}

func TestForm(t *testing.T) {
	form := stream("/Subtype/Form/Matrix[1 0 0 1 20 0]/Resources<</Font<</G 5 0 R>>>>", "BT /G 12 Tf (form)Tj ET")
	if got := page(t, pageOf("BT /F 12 Tf (page)Tj ET q 1 0 0 1 10 0 cm /X Do Q", helvetica1, form)); got != "page form" {
		t.Errorf("got %q", got)
	}
}

// threePages returns a file with three pages; middle is the content of the second page.
func threePages(middle string) []byte {
	return buildWith("/Info<</Title(On \n things)>>",
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Count 3/Kids[3 0 R 4 0 R]/Resources<</Font<</F 5 0 R>>>>>>",
		"<</Type/Pages/Count 2/Kids[6 0 R 7 0 R]>>",
		"<</Type/Page/Contents[8 0 R 9 0 R]>>",
		helvetica1,
		"<</Type/Page/Contents 8 0 R>>",
		"<</Type/Page/Contents 10 0 R>>",
		stream("", "BT /F 12 Tf (one)Tj 0 -14"),
		stream("", "Td (two)Tj ET"),
		middle,
	)
}

func TestExtract_pages(t *testing.T) {
	doc, err := Extract(threePages(packed(t, "", "BT /F 12 Tf (middle)Tj ET")))
	if err != nil {
		t.Fatal(err)
	}
	const want = "--- page 1 ---\none\n\n--- page 2 ---\nmiddle\n\n--- page 3 ---\none\ntwo\n"
	if doc.Title != "On things" || doc.Pages != 3 || len(doc.Notes) > 0 || doc.Text != want {
		t.Errorf("got %+v", doc)
	}
}

func TestExtract_damagedPage(t *testing.T) {
	doc, err := Extract(threePages(stream("/Filter/Unheard", "x")))
	if err != nil || doc.Pages != 3 || !strings.Contains(doc.Text, "--- page 2 ---\n\n--- page 3 ---") ||
		len(doc.Notes) != 1 || doc.Notes[0] != "1 of 3 pages are damaged and may lack text, page 2 first" {
		t.Errorf("got %+v, %v", doc, err)
	}
}

// The pages before the damaged part are shown.
func TestExtract_damagedTree(t *testing.T) {
	data := build(
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 3/Kids[3 0 R 5 0 R 3 0 R]>>",
		"<</Type/Page/Contents 4 0 R/Resources<</Font<</F 6 0 R>>>>>>", stream("", "BT /F 12 Tf (text)Tj ET"), "<</Type/Page ", helvetica1,
	)
	doc, err := Extract(data)
	if err != nil || doc.Text != "--- page 1 ---\ntext\n" || doc.Pages != 3 || len(doc.Notes) != 1 || !strings.HasPrefix(doc.Notes[0], "only the first 1 of 3 pages") {
		t.Errorf("got %+v, %v", doc, err)
	}
}

// Bytes before and after a PDF file, and an unknown version of the format, do not change the text.
func TestExtract_surroundings(t *testing.T) {
	good := pageOf("BT /F 12 Tf (text)Tj ET", helvetica1)
	for name, data := range map[string][]byte{
		"more after it":  append(bytes.Clone(good), "\n\n<!-- served by -->"...),
		"more before it": append([]byte("\r\n\xef\xbb\xbf"), good...),
		"no end":         bytes.TrimSuffix(good, []byte("%%EOF\n")),
		"version 2.0":    bytes.Replace(good, []byte("%PDF-1.4"), []byte("%PDF-2.0"), 1),
	} {
		if got := page(t, data); got != "text" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestExtract_errors(t *testing.T) {
	text := []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>", "<</Type/Page/Contents 4 0 R>>", stream("", "0 0 1 1 re f"),
	}
	for name, test := range map[string]struct {
		data []byte
		want error
	}{
		"empty":         {nil, ErrDamaged},
		"not PDF":       {[]byte("hello"), ErrDamaged},
		"its head":      {[]byte("%PDF-1.7\n"), ErrDamaged},
		"no pages":      {build("<</Type/Catalog>>"), ErrDamaged},
		"no objects":    {build(), ErrDamaged},
		"pictures":      {build(text...), ErrNoText},
		"silent font":   {pageOf("BT /F 12 Tf <0001> Tj ET", "<</Subtype/Type0/Encoding/Identity-H/DescendantFonts[<<>>]>>"), ErrNoText},
		"password":      {buildWith("/ID[(a)(a)]/Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -4/O("+strings.Repeat("o", 32)+")/U("+strings.Repeat("u", 32)+")>>", text...), ErrEncrypted},
		"a new cipher":  {buildWith("/ID[(a)(a)]/Encrypt<</Filter/Standard/V 5/R 6/Length 256>>", text...), ErrEncrypted},
		"half of it":    {pageOf("BT /F 12 Tf (text)Tj ET", helvetica1)[:300], ErrDamaged},
		"lost contents": {build("<</Type/Catalog/Pages 2 0 R>>", "<</Kids[3 0 R]>>", "<</Type/Page/Contents 9 0 R>>"), ErrNoText},
	} {
		if doc, err := Extract(test.data); !errors.Is(err, test.want) || doc.Text != "" {
			t.Errorf("%s: got %+v, %v, want %v", name, doc, err, test.want)
		}
	}
}

// TestExtract_hostile checks that the output stays bounded for files whose objects are circular or
// grow without bound.
func TestExtract_hostile(t *testing.T) {
	draws := "BT /F 12 Tf (x)Tj ET "
	bomb := strings.Repeat(strings.Repeat("(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx) Tj ", 1000), 100)
	good := pageOf(draws, helvetica1)
	for name, data := range map[string][]byte{
		"a form in itself":       pageOf(draws+"/X Do", helvetica1, stream("/Subtype/Form", "/X Do /X Do")),
		"a page tree in itself":  build("<</Type/Catalog/Pages 2 0 R>>", "<</Kids[2 0 R 2 0 R]>>"),
		"a length in itself":     pageOf(draws, helvetica1, "<</Length 6 0 R>>"),
		"older parts in circles": bytes.Replace(good, []byte("/Root"), []byte("/Prev "+lastNumber(good)+"/Root"), 1),
		"many objects":           bytes.Replace(good, []byte("/Size 6"), []byte("/Size 999999999999"), 1),
		"a bomb":                 pageOf("/X Do /X Do /X Do /X Do", helvetica1, packed(t, "/Subtype/Form", "BT /F 12 Tf "+bomb)),
		"deep brackets":          pageOf(strings.Repeat("[", 1<<20), helvetica1),
		"many saves":             pageOf(strings.Repeat("q ", 1<<20), helvetica1),
		"a wide map":             pageOf("BT /F 12 Tf <00ff> Tj ET", "<</Subtype/Type0/ToUnicode 6 0 R>>", stream("", "beginbfrange <00> <FFFFFFFF> <0041> endbfrange")),
		"no numbers":             pageOf("BT /F 12 Tf 1e999 0 0 -1e999 0 0 Tm (x)Tj 1 Tz (y)Tj ET", helvetica1),
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := Extract(data)
			if len(doc.Text) > 2*MaxText || (err == nil) != (doc.Text != "") {
				t.Errorf("got %d bytes of text, %v", len(doc.Text), err)
			}
		})
	}
}

// Text that a page drew before the damaged part is shown.
func TestExtract_damagedForm(t *testing.T) {
	doc, err := Extract(pageOf("BT /F 12 Tf (text)Tj ET /X Do", helvetica1, stream("/Subtype/Form/Filter/Unheard", "x")))
	if err != nil || doc.Text != "--- page 1 ---\ntext\n" || len(doc.Notes) != 1 || doc.Notes[0] != "1 of 1 pages are damaged and may lack text, page 1 first" {
		t.Errorf("got %+v, %v", doc, err)
	}
}

// lastNumber returns the number after startxref: the offset of the file's reference table.
func lastNumber(data []byte) string {
	_, after, _ := bytes.Cut(data, []byte("startxref\n"))
	at, _, _ := bytes.Cut(after, []byte("\n"))
	return string(at)
}

func FuzzExtract(f *testing.F) {
	f.Add(pageOf("BT /F 12 Tf 72 700 Td [(Hel)20(lo)-300(wor)-20(ld)]TJ ET", helvetica1))
	f.Add(pageOf("q 1 0 0 1 5 5 cm /X Do Q BI ID x EI", helvetica1, stream("/Subtype/Form/Matrix[1 0 0 1 2 3]", "BT /F 1 Tf <4142> ' ET")))
	f.Add(pageOf("BT /F 9 Tf <0001>Tj ET", "<</Subtype/Type0/DescendantFonts[<</W[1 2 500]>>]/ToUnicode 6 0 R>>", stream("", "beginbfrange <0001> <0002> [<0041>] endbfrange")))
	f.Add(threePages(stream("/Filter/FlateDecode", "x")))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := Extract(data)
		if err != nil {
			if doc.Text != "" || !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrEncrypted) && !errors.Is(err, ErrNoText) {
				t.Errorf("got %+v, %v", doc, err)
			}
			return
		}
		if doc.Pages < 1 || !strings.HasPrefix(doc.Text, "--- page 1 ---\n") || !utf8.ValidString(doc.Text) || !utf8.ValidString(doc.Title) {
			t.Errorf("got %+v", doc)
		}
	})
}

// FuzzContent only changes the content of a page; other changes usually break the file.
func FuzzContent(f *testing.F) {
	f.Add("BT /F 12 Tf 14 TL 72 700 Td (one)Tj T* [(two) 5 <41>] TJ (three)' 1 2 (four)\" ET", "1 beginbfchar <41> <0042> endbfchar")
	f.Add("q 1 0 0 1 5 5 cm << /A [1 2 (x)] >> BDC % comment\n BI ID \x00 EI Q", "beginbfrange <00> <ff> <D83DDE00> endbfrange begincodespacerange <00> <ff> endcodespacerange")
	f.Fuzz(func(t *testing.T, content, unicode string) {
		font := "<</Subtype/Type1/Encoding<</Differences[1/fi]>>/ToUnicode 6 0 R>>"
		if doc, err := Extract(pageOf(content, font, stream("", unicode))); err == nil && !utf8.ValidString(doc.Text) {
			t.Errorf("got %q", doc.Text)
		}
	})
}
