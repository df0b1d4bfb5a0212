package sdk

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// The readers of the SDKs never trap: a text that is not JSON, is very deep or is cut off is not a
// reason for a call to fail. Those that parse the whole text accept exactly JSON; the reader in C
// only finds values.
func TestReadersSurviveHostileJSON(t *testing.T) {
	for _, language := range languages {
		t.Run(language, func(t *testing.T) {
			l := newLab(t, module(t, language, "reactor"), "reactor")
			for _, text := range hostile() {
				arguments, err := json.Marshal(map[string]any{"do": "peek", "text": text})
				if err != nil {
					t.Fatal(err)
				}
				result, err := l.Execute(t.Context(), tool.Call{Tool: "act", Arguments: arguments})
				want := "ok "
				if language != "c" && json.Valid([]byte(text)) {
					want = "ok JSON"
				}
				if err != nil || result.Text() != want {
					t.Fatalf("%.200q: got %q, %v; want %q", text, result.Text(), err, want)
				}
			}
		})
	}
}

// hostile returns texts that are not JSON, or hardly.
func hostile() []string {
	texts := []string{
		"", " ", `"`, `"\`, `"\u`, `"\u12`, `"\ud83d`, `"\ud83d\u`, `"\uzzzz"`, "{", "[", "[,]", "{,}", `{"a"`, `{"a":`, `{"a":}`, `{"a":1,`, "]", "}", "1e999", "-", "+1", "0x10",
		"99999999999999999999999999", "-9223372036854775809", "1e-400", "nan", "tru", strings.Repeat("1", 500), strings.Repeat("[", 200_000), strings.Repeat(`{"a":`, 100_000),
		strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), `{"a":"` + strings.Repeat(`\u0000`, 50_000) + `"}`, strings.Repeat("]", 1000), `["a"}`, `{"a":[}]`, "\x00", `{"a":1}x`,
	}
	// Most texts are a valid value with a few changes, so that they reach the depth of a reader.
	const valid = `{"n": [0, -0.5E+10, 12e-1], "a": ["x\u00e9\ud83d\ude00", -1.5e3, {"b": [true, null]}], "c": "\"\\", "d": {}}`
	const letters = "{}[]\",:\\u0d8ef1-+.tn \n\x00"
	random := rand.New(rand.NewPCG(26, 4))
	for range testlevel.Size(500, 20_000) {
		text := []byte(valid)
		for range 1 + random.IntN(4) {
			at := random.IntN(len(text))
			switch random.IntN(3) {
			case 0:
				text = append(text[:at:at], text[min(at+1, len(text)-1):]...)
			case 1:
				text[at] = letters[random.IntN(len(letters))]
			default:
				text = text[:max(1, at)]
			}
		}
		texts = append(texts, string(text))
	}
	return texts
}
