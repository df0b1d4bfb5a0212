package jsonschema

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestFormats(t *testing.T) {
	for format, cases := range map[string]struct{ valid, invalid []string }{
		"uri-template": {
			[]string{"", "/a/{b}", "{?v}", "{#v}", "{/v}", "{&v,w}", "{+path:1000}/{x*}", "é/{a.b}", "%41{%41}"},
			[]string{"{", "}", "{}", "{a,}", "{a..b}", "{a:0}", "{a:10000}", "{a=1}", "a b", "%4", "{?}", `\`},
		},
		"duration":     {[]string{"P1Y2M3DT4H5M6S", "P4W", "PT36H", "P1M", "PT1M"}, []string{"P", "PT", "P1", "P1Y1D", "PT1H1S", "P1W2D", "P1DT", "P-1D", "p1d"}},
		"ipv4":         {[]string{"192.0.2.1", "0.0.0.0"}, []string{"+1.2.3.4", "01.2.3.4", "1.2.3", "256.1.1.1", "::1", "1.2.3.4%a"}},
		"hostname":     {[]string{"example", "a-b.example.com", "xn--nxasmq6b", strings.Repeat("a", 63)}, []string{"", "a.", ".a", "-a", "a-", "a_b", "é", "xn--X", "ab--cd", strings.Repeat("a", 64), strings.Repeat("a.", 130) + "a"}},
		"idn-hostname": {[]string{"example", "bücher.example", "실례。테스트"}, []string{"", "a.", "a..b", "-ü", "\u2665\u302e"[:3] + "-"}},
		"email":        {[]string{"a.b+c@example.com", `"a b"@example.com`, "a@[192.0.2.1]", "a@[IPv6:::1]"}, []string{"a", "@example.com", ".a@b", "a..b@c", "a@", "a@-b", "é@example.com", "a@[1.2.3]", "a@[IPv6:1.2.3.4]"}},
		"idn-email":    {[]string{"é@bücher.example", "a@example.com"}, []string{"é", "@é", "é@", "é＠example.com"}},
	} {
		s, err := Compile([]byte(`{"format":"` + format + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range append(cases.valid, cases.invalid...) {
			doc, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			want := false
			for _, valid := range cases.valid {
				want = want || valid == text
			}
			if err := s.Validate(t.Context(), doc); (err == nil) != want {
				t.Errorf("%s: %q: valid should be %v, got %v", format, text, want, err)
			}
		}
		if err := s.Validate(t.Context(), []byte("5")); err != nil {
			t.Errorf("%s refuses a number: %v", format, err)
		}
	}
}
