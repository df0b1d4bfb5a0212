package tool

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func pixel(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 3))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestContentRoundTrips(t *testing.T) {
	tests := []struct {
		content Content
		wire    string
	}{
		{TextContent(""), `{"type":"text","text":""}`},
		{ImageContent([]byte("hi"), "image/png"), `{"type":"image","data":"aGk=","mimeType":"image/png"}`},
		{AudioContent([]byte("hi"), "audio/wav"), `{"type":"audio","data":"aGk=","mimeType":"audio/wav"}`},
		{ResourceContent(Resource{URI: "note:a", Text: "x"}), `{"type":"resource","resource":{"uri":"note:a","text":"x"}}`},
		{ResourceContent(Resource{URI: "note:a", MIMEType: "a/b", Blob: []byte{}}), `{"type":"resource","resource":{"uri":"note:a","mimeType":"a/b","blob":""}}`},
		{LinkContent(Resource{URI: "https://a/b", Name: "b", Size: 5}), `{"type":"resource_link","uri":"https://a/b","name":"b","size":5}`},
	}
	for _, tt := range tests {
		wire, err := json.Marshal(tt.content)
		if err != nil || string(wire) != tt.wire {
			t.Errorf("got %s, %v, want %s", wire, err, tt.wire)
		}
		var back Content
		if err := json.Unmarshal(wire, &back); err != nil || !reflect.DeepEqual(back, tt.content) {
			t.Errorf("%s: read back as %+v, %v", wire, back, err)
		}
	}
}

func TestParseResultKeepsEverything(t *testing.T) {
	got, err := ParseResult([]byte(`{"content":[{"type":"text","text":"a"}],"structured":{"n":9007199254740993},"title":"One",
		"metadata":{"size":1.10,"truncated":true},"attachments":[{"type":"resource_link","uri":"https://a/b","name":"b"}],"warnings":["w"]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := Result{
		Content: []Content{TextContent("a")}, Structured: json.RawMessage(`{"n":9007199254740993}`), Title: "One",
		Metadata:    map[string]any{"size": json.Number("1.10"), MetaTruncated: true},
		Attachments: []Content{LinkContent(Resource{URI: "https://a/b", Name: "b"})}, Warnings: []string{"w"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestParseResultMetadata(t *testing.T) {
	for wire, want := range map[string]map[string]any{
		`{"content":[]}`:                                       nil,
		`{"content":[],"metadata":null}`:                       nil,
		`{"content":[],"metadata":{}}`:                         {},
		`{"content":[],"metadata":{"a":null,"b":[{}],"c":-0}}`: {"a": nil, "b": []any{map[string]any{}}, "c": json.Number("-0")},
	} {
		if got, err := ParseResult([]byte(wire)); err != nil || !reflect.DeepEqual(got.Metadata, want) {
			t.Errorf("%s: got %#v, %v, want %#v", wire, got.Metadata, err, want)
		}
	}
}

func TestParseResultRefuses(t *testing.T) {
	tests := []struct{ name, wire, says string }{
		{"a list", `[]`, "not a JSON object"},
		{"null", `null`, "not a JSON object"},
		{"neither content nor structured", `{"structured":null}`, "neither content nor structured"},
		{"content that is not a list", `{"content":{}}`, "content has the wrong type"},
		{"metadata that is not an object", `{"content":[],"metadata":[]}`, "metadata has the wrong type"},
		{"metadata that is a string", `{"content":[],"metadata":"{}"}`, "metadata has the wrong type"},
		{"an image without a type", `{"content":[{"type":"image","data":"aGk="}]}`, "mimeType"},
		{"data that is not base64", `{"content":[{"type":"audio","data":"#","mimeType":"audio/wav"}]}`, "data has the wrong type"},
		{"a field of another block", `{"content":[{"type":"text","text":"a","data":"aGk="}]}`, `unknown field "data"`},
		{"a type in capitals", `{"content":[{"Type":"text","text":"a"}]}`, `must be a JSON object with a "type"`},
		{"a resource without its contents", `{"content":[{"type":"resource","resource":{"uri":"a:b"}}]}`, "either text or blob"},
		{"a resource with two contents", `{"content":[{"type":"resource","resource":{"uri":"a:b","text":"","blob":""}}]}`, "either text or blob"},
		{"a resource without a name", `{"content":[{"type":"resource","resource":{"text":""}}]}`, "absolute"},
		{"a link without a name", `{"content":[{"type":"resource_link","uri":"a:b"}]}`, "needs a name"},
		{"a link to a file of the host", `{"content":[{"type":"resource_link","uri":"FILE:///etc/passwd","name":"x"}]}`, "file:"},
		{"a relative link", `{"attachments":[{"type":"resource_link","uri":"../x","name":"x"}],"content":[]}`, "attachments[0]: the uri must be absolute"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := ParseResult([]byte(tt.wire)); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %+v, %v, want %q", got, err, tt.says)
			}
		})
	}
}

func TestCheckResult(t *testing.T) {
	whole := pixel(t)
	sound, err := TextResult("ok", nil)
	if err != nil {
		t.Fatal(err)
	}
	change := func(f func(r *Result)) Result {
		r := sound
		f(&r)
		return r
	}
	tests := []struct {
		name string
		r    Result
		says string // part of the error; empty means none
	}{
		{"a text", sound, ""},
		{"an image", change(func(r *Result) { r.Content = []Content{ImageContent(whole, "image/png")} }), ""},
		{"a link with an attachment", change(func(r *Result) { r.Attachments = []Content{LinkContent(Resource{URI: "a:b", Name: "b"})} }), ""},
		{"half an image", change(func(r *Result) { r.Content = []Content{TextContent(""), ImageContent(whole[:40], "image/png")} }), "content[1]: image/png"},
		{"half an attachment", change(func(r *Result) { r.Attachments = []Content{ImageContent(whole[:40], "image/png")} }), "attachments[0]"},
		{"a sound that is an image", change(func(r *Result) { r.Content = []Content{AudioContent(whole, "audio/wav")} }), "audio/wav"},
		{"a text that is not UTF-8", change(func(r *Result) { r.Content = []Content{TextContent("\xff")} }), "UTF-8"},
		{"a resource that is not UTF-8", change(func(r *Result) { r.Content = []Content{ResourceContent(Resource{URI: "a:b", Text: "\xff"})} }), "UTF-8"},
		{"a resource block without a resource", change(func(r *Result) { r.Content = []Content{{Type: ContentResource}} }), "uri"},
		{"no type", change(func(r *Result) { r.Content = []Content{{}} }), "unknown type"},
		{"structured that is not JSON", change(func(r *Result) { r.Structured = json.RawMessage(`{`) }), "not JSON"},
		{"metadata that is not JSON", change(func(r *Result) { r.Metadata = map[string]any{"f": math.NaN()} }), "metadata"},
		{"metadata with an invalid number", change(func(r *Result) { r.Metadata = map[string]any{"n": json.Number("+1")} }), "metadata"},
		{"metadata just below the limit", change(func(r *Result) { r.Metadata = map[string]any{"f": strings.Repeat("x", MaxMetadata-100)} }), ""},
		{"metadata past the limit because of escapes", change(func(r *Result) { r.Metadata = map[string]any{"f": strings.Repeat("\x01", MaxMetadata/6)} }), "metadata"},
		{"metadata past the limit because of many fields", change(func(r *Result) {
			r.Metadata = make(map[string]any)
			for i := range MaxMetadata / 8 {
				r.Metadata[strconv.Itoa(i)] = nil
			}
		}), "metadata"},
		{"too much metadata", change(func(r *Result) { r.Metadata = map[string]any{"f": strings.Repeat("x", MaxMetadata)} }), "metadata"},
		{"too long a title", change(func(r *Result) { r.Title = strings.Repeat("x", 2000) }), "title"},
		{"too many blocks", change(func(r *Result) { r.Content = make([]Content, MaxBlocks+1) }), "blocks"},
		{"a long warning", change(func(r *Result) { r.Warnings = []string{strings.Repeat("x", 1<<20)} }), "warnings[0]"},
		{"a warning that is not UTF-8", change(func(r *Result) { r.Warnings = []string{"a", "\xff"} }), "warnings[1]"},
		{"too many warnings", change(func(r *Result) { r.Warnings = make([]string, 1000) }), "warnings"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.r.Check()
			if tt.says == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if CodeOf(err) != CodeInvalidOutput || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %q", err, tt.says)
			}
		})
	}
}

func TestJSONResultIsExactAndReadable(t *testing.T) {
	r, err := JSONResult(map[string]any{"n": json.Number("9007199254740993"), "t": "<a>"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Text(), "{\n  \"n\": 9007199254740993,\n  \"t\": \"<a>\"\n}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := string(r.Structured), `{"n":9007199254740993,"t":"<a>"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := JSONResult(math.Inf(1)); err == nil {
		t.Error("infinity was accepted as JSON")
	}
}

func TestTextResultWithDetails(t *testing.T) {
	r, err := TextResult("wrote a.txt", struct {
		Path string `json:"path"`
		Size int    `json:"size"`
	}{"a.txt", 5})
	if err != nil || r.Text() != "wrote a.txt" || string(r.Structured) != `{"path":"a.txt","size":5}` {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := TextResult("", func() {}); err == nil {
		t.Error("a function was accepted as JSON")
	}
}

func TestImageResult(t *testing.T) {
	r, err := ImageResult("a chart", pixel(t), "image/png", map[string]any{"path": "out/chart.png"})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Content) != 2 || r.Content[0].Text != "a chart" || r.Content[1].MIMEType != "image/png" {
		t.Errorf("got %+v", r.Content)
	}
	if got, want := string(r.Structured), `{"height":3,"path":"out/chart.png","width":4}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := ImageResult("", pixel(t)[:20], "image/png", nil); err == nil {
		t.Error("half an image was accepted")
	}
}

func TestViews(t *testing.T) {
	data := base64.StdEncoding.EncodeToString([]byte("hi"))
	mixed := Result{
		Content: []Content{TextContent("a"), ImageContent([]byte("hi"), "image/png")}, Structured: json.RawMessage(`{"n":1.0}`),
		Metadata: map[string]any{MetaTruncated: true}, Call: CallInfo{CallRef: CallRef{Tool: "draw"}},
	}
	value, err := JSONResult(json.RawMessage(`{"n":1.0}`))
	if err != nil {
		t.Fatal(err)
	}
	titled := value
	titled.Title = "One"
	typed := func(r Result) any {
		v, err := r.Typed()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	tests := []struct {
		name string
		view any
		want string
	}{
		{"details", mixed.Details(), `{"content":[{"type":"text","text":"a"},{"type":"image","data":"` + data + `","mimeType":"image/png"}],"details":{"n":1.0}}`},
		{"details of an empty result", Result{}.Details(), `{"content":[]}`},
		{"text", typed(mixed), `{"type":"text","content":"a","attachments":[{"type":"image","data":"` + data + `","mimeType":"image/png"}],"metadata":{"truncated":true}}`},
		{"json", typed(value), `{"type":"json","content":{"n":1.0},"attachments":[]}`},
		{"error", typed(Result{Content: []Content{TextContent("no")}, IsError: true}), `{"type":"error","content":"no","attachments":[]}`},
		{"output", titled.Output(), `{"title":"One","output":"{\n  \"n\": 1.0\n}","metadata":{}}`},
		{"output without a title", mixed.Output(), `{"title":"draw","output":"a","metadata":{"truncated":true}}`},
	}
	for _, tt := range tests {
		if got, err := json.Marshal(tt.view); err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
}

func TestCloneSharesNothing(t *testing.T) {
	build := func() Result {
		return Result{
			Content:     []Content{ImageContent([]byte("a"), "image/png"), ResourceContent(Resource{URI: "a:b", Blob: []byte("a")})},
			Attachments: []Content{TextContent("a")}, Structured: json.RawMessage(`1`), Warnings: []string{"a"},
			Metadata: map[string]any{"list": []any{map[string]any{"n": json.Number("1")}}},
		}
	}
	first := build()
	second := first.Clone()
	second.Content[0].Data[0], second.Content[1].Resource.Blob[0], second.Content[1].Resource.URI = 'b', 'b', "c:d"
	second.Attachments[0].Text, second.Structured[0], second.Warnings[0] = "b", '2', "b"
	second.Metadata["list"].([]any)[0].(map[string]any)["n"] = json.Number("2")
	if !reflect.DeepEqual(first, build()) {
		t.Errorf("a change of the clone changed the original: %+v", first)
	}
	if empty := (Result{}).Clone(); !reflect.DeepEqual(empty, Result{}) {
		t.Errorf("an empty result becomes %+v", empty)
	}
}

func FuzzParseResult(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"a"}],"metadata":{"n":1e400}}`))
	f.Add([]byte(`{"structured":1,"attachments":[{"type":"resource","resource":{"uri":"a:b","blob":"aGk="}}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := ParseResult(raw)
		if err != nil {
			return
		}
		var e *Error
		if err := r.Check(); err != nil && !errors.As(err, &e) {
			t.Fatal(err)
		} else if err != nil {
			return
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatalf("a result that cannot be encoded: %v", err)
		}
	})
}

// The estimate of the size of metadata is never less than the size of its JSON.
func FuzzPlainSize(f *testing.F) {
	f.Add("path", "a/b\x01\u2028<", int64(-5), true)
	f.Add("\xff", "", int64(0), false)
	f.Fuzz(func(t *testing.T, name, text string, number int64, flag bool) {
		metadata := map[string]any{name: text, name + "n": number, name + "j": json.Number(strconv.FormatInt(number, 10)), name + "f": flag, name + "0": nil}
		written, err := json.Marshal(metadata)
		if size, ok := plainSize(metadata); err != nil || !ok || size < len(written) {
			t.Errorf("%q: %d, %v for %s, %v", metadata, size, ok, written, err)
		}
	})
}
