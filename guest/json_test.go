package guest

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
)

// appendJSON writes the same bytes as package json does.
func TestAppendJSON(t *testing.T) {
	type own struct {
		A int    `json:"a"`
		B string `json:"b,omitempty"`
	}
	deep := any("end")
	for range 2 * maxDepth {
		deep = map[string]any{"a": []any{deep}}
	}
	for name, v := range map[string]any{
		"null": nil, "texts": []any{"", "a", "<&>", "\x00\x1f\x7f\u2028\u2029\b\f\n\r\t\"\\/", "\xff\xc3", "ä€😀\ufffd"},
		"numbers": []any{0, -1, math.MaxInt64, int64(math.MinInt64), uint8(3), 1.5, 1e300, json.Number("1.50")},
		"maps":    map[string]any{"b": 1, "a": true, "": nil, "\n": map[string]any{}},
		"empty":   []any{[]any{}, []any(nil), map[string]any(nil), []string(nil), []byte("x")},
		"structs": []any{own{1, "<"}, &own{}, (*own)(nil), map[int]string{2: "b", 1: "a"}},
		"deep":    deep,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := appendJSON(nil, v, 0)
			if want, wantErr := marshal(v); err != nil || wantErr != nil || string(got)+"\n" != string(want) {
				t.Errorf("got %s, %v, want %s", got, err, want)
			}
		})
	}
	itself := map[string]any{}
	itself["a"] = []any{itself}
	for name, v := range map[string]any{"no number": []any{math.NaN()}, "no value": map[string]any{"f": func() {}}, "itself": itself} {
		got, err := appendJSON(nil, v, 0)
		if _, want := marshal(v); err == nil || want == nil {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func FuzzAppendText(f *testing.F) {
	f.Add("a\x00\u2028\xe2\x80\"")
	f.Add(strings.Repeat("x", 100) + "\\\x7f\xf0\x9f\x98\x80")
	f.Fuzz(func(t *testing.T, text string) {
		want, err := marshal(text)
		if got := appendText(nil, text); err != nil || !bytes.Equal(append(got, '\n'), want) {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	})
}

// byPackageJSON encodes a result with package encoding/json.
func byPackageJSON(r Result) ([]byte, error) {
	type contents struct {
		URI      string  `json:"uri"`
		MIMEType string  `json:"mimeType,omitempty"`
		Text     *string `json:"text,omitempty"`
		Blob     []byte  `json:"blob,omitempty"`
	}
	content := []any{}
	for _, c := range r.Content {
		switch c.Type {
		case ContentText:
			content = append(content, struct {
				Type ContentType `json:"type"`
				Text string      `json:"text"`
			}{c.Type, c.Text})
		case ContentResource:
			resource := contents{URI: c.URI, MIMEType: c.MIMEType, Blob: c.Data}
			if len(c.Data) == 0 {
				resource.Text = &c.Text
			}
			content = append(content, struct {
				Type     ContentType `json:"type"`
				Resource contents    `json:"resource"`
			}{c.Type, resource})
		default:
			content = append(content, struct {
				Type     ContentType `json:"type"`
				Data     []byte      `json:"data"`
				MIMEType string      `json:"mimeType"`
			}{c.Type, c.Data, c.MIMEType})
		}
	}
	return marshal(struct {
		Content    []any          `json:"content"`
		Structured any            `json:"structured,omitempty"`
		IsError    bool           `json:"is_error,omitempty"`
		Title      string         `json:"title,omitempty"`
		Metadata   map[string]any `json:"metadata,omitempty"`
	}{content, r.Structured, r.IsError, r.Title, r.Metadata})
}

// ofManyTypes converts a decoded JSON value to the types that tools use.
func ofManyTypes(v any) any {
	switch v := v.(type) {
	case float64:
		switch n := int64(v); {
		case float64(n) != v:
		case n%3 == 0:
			return int(n)
		case n%3 == 1:
			return n
		default:
			return json.Number(strconv.FormatInt(n, 10))
		}
	case []any:
		if len(v) == 1 {
			return []string{"<one>"}
		}
		for i := range v {
			v[i] = ofManyTypes(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = ofManyTypes(v[name])
		}
	}
	return v
}

func FuzzResult_MarshalJSON(f *testing.F) {
	f.Add("text", "title", false, "a:b", "image/png", []byte("data"), []byte(`{"a":[1,2.5,null,{"b":"<\u2028>"}],"":3}`))
	f.Add("\xff", "", true, "", "audio/x", []byte(nil), []byte(`"\u0000"`))
	f.Add("", "\"", true, "a:b", "", []byte{}, []byte(`[[],{},[{}],true,-1e300,4294967296]`))
	f.Fuzz(func(t *testing.T, text, title string, isError bool, uri, mimeType string, data, value []byte) {
		var decoded any
		if json.Unmarshal(value, &decoded) != nil {
			decoded = string(value)
		}
		r := Result{Title: title, IsError: isError, Structured: ofManyTypes(decoded)}
		r.Metadata, _ = r.Structured.(map[string]any)
		for _, c := range []Content{
			Text(text), Image(data, mimeType), Audio(data, mimeType), Resource(uri, mimeType, "", data), Resource(uri, mimeType, text, nil),
		} {
			if _, err := c.appendTo(nil); err == nil {
				r.Content = append(r.Content, c)
			}
		}
		got, err := r.MarshalJSON()
		want, wantErr := byPackageJSON(r)
		if err != nil || wantErr != nil || !bytes.Equal(got, want) {
			t.Errorf("%+v: got %s, %v, want %s, %v", r, got, err, want, wantErr)
		}
	})
}
