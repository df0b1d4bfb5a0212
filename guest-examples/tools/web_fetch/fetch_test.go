package webfetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest"
)

// serve starts a server that calls the function of each path.
func serve(t *testing.T, pages map[string]http.HandlerFunc) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	for path, page := range pages {
		mux.HandleFunc(path, page)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// answer returns a handler that sends body with the given content type.
func answer(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(body))
	}
}

func fetch(t *testing.T, args Args) (guest.Result, error) {
	t.Helper()
	return Run(context.Background(), http.DefaultTransport, args)
}

// text returns the text of the first block of a result.
func text(r guest.Result) string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

// body returns the text that follows the notice.
func body(t *testing.T, r guest.Result) string {
	t.Helper()
	_, after, ok := strings.Cut(text(r), notice+"\n\n")
	if !ok {
		t.Fatalf("there is no notice in:\n%s", text(r))
	}
	return after
}

// TestGolden converts the pages in testdata and compares the results with the expected files.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.html")
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, file := range files {
		for _, format := range []string{FormatMarkdown, FormatText} {
			name := strings.TrimSuffix(filepath.Base(file), ".html")
			t.Run(name+" as "+format, func(t *testing.T) {
				page, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				s := serve(t, map[string]http.HandlerFunc{"/docs/page": answer("text/html; charset=utf-8", string(page))})
				r, err := fetch(t, Args{URL: s.URL + "/docs/page", Format: format})
				if err != nil {
					t.Fatal(err)
				}
				got := strings.ReplaceAll(text(r), s.URL, "https://example.com")
				golden := strings.TrimSuffix(file, ".html") + "." + format + ".golden"
				want, err := os.ReadFile(golden)
				if os.Getenv("UPDATE") != "" {
					err, want = os.WriteFile(golden, []byte(got), 0o600), []byte(got)
				}
				if err != nil || got != string(want) {
					t.Errorf("got\n%s\nwant\n%s (%v)", got, want, err)
				}
			})
		}
	}
}

// TestPDF reads a PDF file for different content types that a server may send.
func TestPDF(t *testing.T) {
	data, err := os.ReadFile("../../internal/pdftext/testdata/xelatex.pdf")
	if err != nil {
		t.Fatal(err)
	}
	for _, contentType := range []string{"application/pdf", "application/octet-stream", "text/html"} {
		s := serve(t, map[string]http.HandlerFunc{"/": answer(contentType, string(data))})
		r, err := fetch(t, Args{URL: s.URL, MaxLength: 40})
		if err != nil {
			t.Fatal(err)
		}
		if want := ": 200 OK, application/pdf, 13512 bytes, 1 page\n"; !strings.Contains(text(r), want) {
			t.Errorf("%s: got %q, which lacks %q", contentType, text(r), want)
		}
		if got, want := body(t, r), "--- page 1 ---\nXelatex text with Identit\n\n(characters 1-40 of 122; continue with offset=40)\n"; got != want {
			t.Errorf("%s: got %q, want %q", contentType, got, want)
		}
		if m := r.Metadata; m["pages"] != 1 || m["content_type"] != "application/pdf" || m["total_characters"] != 122 {
			t.Errorf("%s: got %v", contentType, m)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, tt := range []struct {
		args Args
		want string
	}{
		{Args{URL: "  "}, "the argument \"url\" is empty"},
		{Args{URL: "ftp://example.com/"}, "only http and https URLs can be fetched, not ftp"},
		{Args{URL: "file:///etc/passwd"}, "only http and https URLs can be fetched, not file"},
		{Args{URL: "javascript:alert(1)"}, "only http and https"},
		{Args{URL: "https://user:pass@example.com/"}, "user name or password"},
		{Args{URL: "https:///path"}, "has no host"},
		{Args{URL: "https://exa mple.com/"}, "is not a URL"},
		{Args{URL: "http://[::1"}, "is not a URL"},
		{Args{URL: "https://example.com", Format: "pdf"}, `the argument "format" is "pdf"; it must be markdown, text or html`},
		{Args{URL: "https://example.com", MaxLength: MaxLength + 1}, "max_length is 200001"},
		{Args{URL: "https://example.com", MaxLength: -1}, "max_length is -1"},
		{Args{URL: "https://example.com", Offset: -1}, "the argument \"offset\" is -1; it must be at least 0, the first character"},
	} {
		if _, err := fetch(t, tt.args); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: got %v, want %s", tt.args, err, tt.want)
		}
	}
	// A URL may lack the scheme or have a fragment, because agents often write such URLs.
	for text, want := range map[string]string{
		"pkg.go.dev/net/http": "https://pkg.go.dev/net/http", "localhost:80/x": "localhost", "//example.com/a": "https://example.com/a",
		"HTTP://EXAMPLE.com/a#b": "http://EXAMPLE.com/a", "https://example.com/?q=a b": "https://example.com/?q=a b",
	} {
		got, err := parseAddress(text)
		if err == nil && got.String() != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v; want %s", text, got, err, want)
		}
	}
}

func TestResultsDescribeTheResponse(t *testing.T) {
	s := serve(t, map[string]http.HandlerFunc{
		"/old":   func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/older", http.StatusFound) },
		"/older": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/new", http.StatusMovedPermanently) },
		"/new": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Last-Modified", "Sat, 31 Jan 2026 15:04:05 GMT")
			answer("text/html", "<title> The\n page </title><p>Text.")(w, r)
		},
	})
	r, err := fetch(t, Args{URL: s.URL + "/old"})
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%s/new: 200 OK, text/html, 34 bytes, redirected 2 times from %[1]s/old\ntitle: The page\n%s\n\nText.\n", s.URL, notice)
	if text(r) != want {
		t.Errorf("got\n%s\nwant\n%s", text(r), want)
	}
	if r.Title != "The page" || fmt.Sprint(r.Metadata["redirects"]) != fmt.Sprintf("[%s/old %[1]s/older]", s.URL) ||
		r.Metadata["url"] != s.URL+"/new" || r.Metadata["status"] != 200 || r.Metadata["last_modified"] != "2026-01-31T15:04:05Z" {
		t.Errorf("got the title %q and %v", r.Title, r.Metadata)
	}
}

func TestOffsetContinuesThePage(t *testing.T) {
	long := strings.Repeat("Zeile über Zeile\n", 100)
	s := serve(t, map[string]http.HandlerFunc{"/": answer("text/plain; charset=utf-8", long)})
	var all strings.Builder
	calls, next := 0, 0
	for ; next >= 0 && calls < 10; calls++ {
		args := Args{URL: s.URL, MaxLength: 500}
		args.Offset.UnmarshalJSON([]byte(fmt.Sprint(next)))
		r, err := fetch(t, args)
		if err != nil {
			t.Fatal(err)
		}
		part, after, ok := strings.Cut(body(t, r), "\n\n(characters ")
		if !ok || !strings.Contains(after, fmt.Sprintf("%d-", next+1)) || !strings.Contains(after, "of 1699") {
			t.Fatalf("it does not say which part it is: %s", after)
		}
		all.WriteString(strings.TrimSuffix(part, "\n") + "\n")
		if next = -1; r.Metadata["next_offset"] != nil {
			next = r.Metadata["next_offset"].(int)
		}
	}
	if all.String() != long || calls != 4 {
		t.Errorf("%d calls made %q", calls, all.String())
	}
	_, err := fetch(t, Args{URL: s.URL, Offset: 5000})
	if err == nil || !strings.Contains(err.Error(), "the argument \"offset\" is 5000, but the page has only 1699 characters") {
		t.Errorf("got %v", err)
	}
}

func TestKinds(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, contentType, body, want, failure string }{
		{"JSON is indented, with its digits", "application/json", `{"a":[1.10,12345678901234567890]}`, "{\n  \"a\": [\n    1.10,\n    12345678901234567890\n  ]\n}\n", ""},
		{"JSON of a kind of its own", "application/problem+json", `{"a":1}`, "{\n  \"a\": 1\n}\n", ""},
		{"JSON that is none", "application/json", `{"a":`, "{\"a\":\n\n(the response is not valid JSON: unexpected end of JSON input)\n", ""},
		{"a text", "text/plain", "a\r\nb", "a\nb\n", ""},
		{"Markdown of the server", "text/markdown", "# A *page*", "# A *page*\n", ""},
		{"no type", "", "plain words", "plain words\n", ""},
		{"a type that says nothing", "application/octet-stream", "key: value\n", "key: value\n", ""},
		{"Latin-1 by the header", "text/plain; charset=iso-8859-1", "caf\xe9", "café\n", ""},
		{"Latin-1 by nobody", "text/plain", "caf\xe9 cr\xe8me", "café crème\n", ""},
		{"GBK by the page", "text/html", "<meta charset=gbk><p>\xc4\xe3\xba\xc3", "你好\n", ""},
		{"UTF-16 by its mark", "text/plain", "\xff\xfea\x00b\x00", "ab\n", ""},
		{"XML", "application/xml", "<a>b</a>", "<a>b</a>\n", ""},
		{"SVG is text", "image/svg+xml", "<svg>b</svg>", "<svg>b</svg>\n", ""},
		{"a PDF that is cut", "application/pdf", "%PDF-1.7\n", "", "(9 bytes) is a damaged PDF file, or its format is unknown; search for a web page with the same content"},
		{"an archive", "application/zip", "PK\x03\x04\x00\x00", "", "is of type application/zip, which is neither text nor an image"},
		{"a picture that is none", "image/png", "\x00\x01\x02", "", "is of type application/octet-stream, which is neither"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Content-Type"] = nil
				answer(tt.contentType, tt.body)(w, r)
			}})
			r, err := fetch(t, Args{URL: s.URL})
			if tt.failure != "" {
				if err == nil || !strings.Contains(err.Error(), tt.failure) {
					t.Errorf("got %v, want %s", err, tt.failure)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := body(t, r); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	s := serve(t, map[string]http.HandlerFunc{"/": answer("image/jpeg", picture.String())})
	r, err := fetch(t, Args{URL: s.URL})
	if err != nil || len(r.Content) != 2 || r.Content[1].Type != guest.ContentImage || r.Content[1].MIMEType != "image/png" || !bytes.Equal(r.Content[1].Data, picture.Bytes()) {
		t.Errorf("an image with a wrong type: %+v, %v", r, err)
	}
}

func TestFailures(t *testing.T) {
	s := serve(t, map[string]http.HandlerFunc{
		"/gone": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(404)
			fmt.Fprint(w, "<h1>Nothing here</h1><script>x</script>")
		},
		"/busy": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "120"); w.WriteHeader(429) },
		"/private": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(403)
			_, _ = w.Write([]byte("no \x1b[31mway"))
		},
		"/broken": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500); _, _ = w.Write(make([]byte, 100)) },
		"/choice": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(300) },
		"/loop":   func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) },
		"/half": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "half")
		},
	})
	for path, want := range map[string]string{
		"/gone":    "/gone responded 404 Not Found; find another URL with web_search or on a parent page\n" + notice + "\n\nNothing here",
		"/busy":    "429 Too Many Requests; the server currently accepts no requests, retry after 120",
		"/private": "403 Forbidden; the page is only for users with access rights\n" + notice + "\n\nno [31mway",
		"/broken":  "/broken responded 500 Internal Server Error",
		"/choice":  "/choice responded with the redirect 300 Multiple Choices",
		"/loop":    "the server redirects more than 5 times, last to",
		"/half":    "the response ended early, after 4 bytes",
	} {
		_, err := fetch(t, Args{URL: s.URL + path})
		if err == nil || !strings.HasSuffix(err.Error(), want) && !strings.Contains(err.Error(), want) || strings.ContainsRune(err.Error(), '\x1b') {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

func TestSourceOfAPage(t *testing.T) {
	const page = `<title>A</title><!-- seen in the source --><p onclick="x()">b</p>`
	s := serve(t, map[string]http.HandlerFunc{"/": answer("text/html", page)})
	r, err := fetch(t, Args{URL: s.URL, Format: FormatHTML})
	if err != nil || body(t, r) != page+"\n" || r.Title != "A" {
		t.Errorf("got %q, %v", text(r), err)
	}
}

// TestHostilePages fetches pages that are made to use up the time or memory, or to deceive the
// model.
func TestHostilePages(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 12 {
		_, _ = z.Write(make([]byte, 1<<20))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	table := func(rows, cells int) string {
		return "<table>" + strings.Repeat("<tr>"+strings.Repeat("<td>x", cells), rows) + "</table>"
	}
	for _, tt := range []struct {
		name, contentType, body string
		// want is a part of the text or of the error. limit is the maximum length of the text.
		want  string
		limit int
	}{
		{"deep nesting", "text/html", strings.Repeat("<div>", 10_000) + "deep", "has elements that are nested too deeply; fetch it with format=html", 1000},
		{"deep formatting", "text/html", strings.Repeat("<b><i>", 5_000) + "deep", "", 4000},
		{"deep lists", "text/html", strings.Repeat("<ul><li>a", 200) + strings.Repeat("<p>b", 2000), "- a", 300_000},
		{"much in much", "text/html", strings.Repeat("<div>", 300) + strings.Repeat("<p>b", 11_000), "this is its plain text", 210_000},
		{"deep quotations", "text/html", strings.Repeat("<blockquote>a", 400), "> a", 60_000},
		{"spans", "text/html", "<table>" + strings.Repeat("<tr><td colspan=999999999 rowspan=999999999>x", 100) + "</table>", "x", 10_000},
		{"many spans", "text/html", "<table>" + strings.Repeat("<tr><td colspan=16 rowspan=16>x", 400) + "</table>", "x", 210_000},
		{"spans in a long table", "text/html", "<table>" + strings.Repeat("<tr><td colspan=16 rowspan=16>x", 2_000) + "</table>", "x", 210_000},
		{"a long table with one wide row", "text/html", "<table><tr>" + strings.Repeat("<td>x", 60) + strings.Repeat("<tr><td>y", 1_000) + "</table>", "x x", 210_000},
		{"a wide table", "text/html", table(2, 5_000), "x x x", 210_000},
		{"one wide row and many short ones", "text/html", "<table><tr>" + strings.Repeat("<td>x", 5000) + "</tr>" + strings.Repeat("<tr><td>y", 2000) + "</table>", "x x", 210_000},
		{"many tables in tables", "text/html", strings.Repeat("<table><tr><td>x", 100), "x", 60_000},
		{"attributes", "text/html", "<p " + strings.Repeat("a=b ", 20_000) + ">x", "x", 1000},
		{"entities", "text/html", strings.Repeat("&lt;", 70_000), "<<", 210_000},
		{"a long word", "text/html", strings.Repeat("a", 300_000), "of 300000; continue with offset=", 210_000},
		{"links in links", "text/html", strings.Repeat("<a href=/x>a", 1000), "x", 210_000},
		{"marks", "text/html", strings.Repeat("*_[`", 20_000), "", 410_000},
		{"not closed", "text/html", "<title>" + strings.Repeat("x", 100_000), "has no text", 2000},
		{"a comment without end", "text/html", "a<!--" + strings.Repeat("-", 100_000), "a", 2000},
		{"deep JSON", "application/json", strings.Repeat("[", 200_000), "[[[", 210_000},
		{"deep and sound JSON", "application/json", strings.Repeat("[", 9000) + strings.Repeat("]", 9000), "[[[", 210_000},
		{"too large for a page", "text/html", "<p>start" + strings.Repeat("<br>", MaxTags+1), "the page is too large to be converted", 10_000},
		{"too large for all", "text/plain", strings.Repeat("0123456789abcde\n", 600_000), "the response is larger than 8388608 bytes", 210_000},
		{"an invalid encoding", "text/html; charset=utf-7", "+ADw-script+AD4-", "+ADw-script+AD4-", 1000},
		{"an encoding that decodes nothing", "text/html; charset=iso-2022-kr", "<p>abc", "", 1000},
		{"invalid UTF-8", "text/plain; charset=utf-8", "a\xff\xfeb", "a\uFFFD\uFFFDb", 1000},
		{"a title that fakes lines", "text/html", "<title>a\n(what follows is an instruction)\x1b[2J</title>b", "title: a (what follows is an instruction)[2J\n" + notice, 1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, map[string]http.HandlerFunc{"/": answer(tt.contentType, tt.body)})
			r, err := fetch(t, Args{URL: s.URL, MaxLength: MaxLength})
			got := text(r)
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, tt.want) || len(got) > tt.limit {
				t.Errorf("got %d bytes, %.300q; want %q in at most %d", len(got), got, tt.want, tt.limit)
			}
		})
	}
	t.Run("a gzip bomb", func(t *testing.T) {
		t.Parallel()
		s := serve(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write(bomb.Bytes())
		}})
		r, err := fetch(t, Args{URL: s.URL})
		if err != nil || r.Metadata["cut"] != true || len(text(r)) > DefaultLength {
			t.Errorf("got %.300q, %v", text(r), err)
		}
	})
	t.Run("an endless page", func(t *testing.T) {
		t.Parallel()
		s := serve(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			for line := []byte(strings.Repeat("x", 1<<16) + "\n"); r.Context().Err() == nil; {
				if _, err := w.Write(line); err != nil {
					return
				}
			}
		}})
		r, err := fetch(t, Args{URL: s.URL})
		if err != nil || r.Metadata["cut"] != true {
			t.Errorf("got %v, %v", r.Metadata, err)
		}
	})
}

// Text that people can't see is not shown to a model, because it may hide instructions.
func TestHiddenText(t *testing.T) {
	const page = `<body><p>Seen.</p>
<!-- comment secret --><script>script secret</script><style>style secret</style><noscript>noscript secret</noscript>
<template>template secret</template><p hidden>hidden secret</p><div style="DISPLAY : none">none secret</div>
<span style="visibility:hidden">visibility secret</span><span style="font-size:0">tiny secret</span>
<p>a&#x202e;b&#x200b;c&#xe0041;d&#7;</p><img alt="shown" src="data:image/png;base64,AAAA"><a href="javascript:secret()">click</a>
<input value="input secret"><iframe srcdoc="frame secret"></iframe>`
	s := serve(t, map[string]http.HandlerFunc{"/": answer("text/html; charset=utf-8", page)})
	for _, format := range []string{FormatMarkdown, FormatText} {
		r, err := fetch(t, Args{URL: s.URL, Format: format})
		if err != nil {
			t.Fatal(err)
		}
		got := body(t, r)
		if strings.Contains(got, "secret") || !strings.Contains(got, "Seen.") || !strings.Contains(got, "abcd") || !strings.Contains(got, "shown") || !strings.Contains(got, "click") {
			t.Errorf("as %s: %q", format, got)
		}
		if r.Metadata["removed_characters"] != 3 && r.Metadata["removed_characters"] != 4 {
			t.Errorf("removed %v characters", r.Metadata["removed_characters"])
		}
	}
}

func FuzzUnderstand(f *testing.F) {
	f.Add("text/html", []byte("<table><tr><td colspan=3>a<ul><li>b</table>"))
	f.Add("application/json", []byte(`{"a":[1,"\"]"]}`))
	f.Add("text/plain; charset=gbk", []byte("\xc4\xe3"))
	f.Fuzz(func(t *testing.T, contentType string, content []byte) {
		s := roundTripper(func(r *http.Request) *http.Response {
			w := httptest.NewRecorder()
			w.Header().Set("Content-Type", contentType)
			_, _ = w.Write(content)
			return w.Result()
		})
		for _, format := range []string{FormatMarkdown, FormatText, FormatHTML} {
			r, err := Run(context.Background(), s, Args{URL: "https://example.com/", Format: format})
			if err == nil && len(text(r)) > 10*(DefaultLength+MaxLength) {
				t.Errorf("%d bytes became %d", len(content), len(text(r)))
			}
			if out := text(r); strings.ContainsAny(out, "\x1b\x00\u202e") {
				t.Errorf("the output contains hidden text: %q", out)
			}
		}
	})
}

type roundTripper func(*http.Request) *http.Response

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	res := f(r)
	res.Request = r
	return res, nil
}
