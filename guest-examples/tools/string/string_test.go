package stringtool

import (
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
)

func TestRun(t *testing.T) {
	for _, test := range []struct{ arguments, want string }{
		{`{"operation": "upper", "text": "grüße"}`, "GRÜßE"},
		{`{"operation": "lower", "text": "ÀB"}`, "àb"},
		{`{"operation": "title", "text": "o'neill's 2nd BOOK of élan"}`, "O'neill's 2nd Book Of Élan"},
		{`{"operation": "capitalize", "text": "  hello WORLD"}`, "  Hello world"},
		{`{"operation": "camel", "text": "parse HTTP-request_body"}`, "parseHttpRequestBody"},
		{`{"operation": "camel", "text": "HTTPServer"}`, "httpServer"},
		{`{"operation": "pascal", "text": "user_id2"}`, "UserId2"},
		{`{"operation": "snake", "text": "parseHTTPRequest2"}`, "parse_http_request2"},
		{`{"operation": "snake", "text": "already_snake"}`, "already_snake"},
		{`{"operation": "kebab", "text": "  ÉcoleNormale! "}`, "école-normale"},
		{`{"operation": "constant", "text": "maxSize"}`, "MAX_SIZE"},
		{`{"operation": "snake", "text": "--"}`, ""},
		{`{"operation": "slug", "text": "  Crème Brûlée: 5€ & more…"}`, "creme-brulee-5-more"},
		{`{"operation": "slug", "text": "Straße Ærø Łódź don't"}`, "strasse-aero-lodz-dont"},
		{`{"operation": "slug", "text": "日本語 テスト が"}`, "日本語-テスト-が"},
		{`{"operation": "reverse", "text": "ae\u0301x"}`, "xe\u0301a"},
		{`{"operation": "reverse", "text": "a🇩🇪👨‍👩‍👧b"}`, "b👨‍👩‍👧🇩🇪a"},
		{`{"operation": "length", "text": ""}`, "0 (0 bytes, 0 words, 0 lines)"},
		{`{"operation": "length", "text": "e\u0301 ü\nx\n"}`, "7 (6 visible characters, 9 bytes, 3 words, 2 lines)"},
		{`{"operation": "lines", "text": "a\r\nb\n\nc\n"}`, `["a", "b", "", "c"]`},
		{`{"operation": "lines", "text": ""}`, `[]`},
		{`{"operation": "trim", "text": "\t a \u00a0\n"}`, "a"},
		{`{"operation": "trim", "text": "  a  ", "side": "left"}`, "a  "},
		{`{"operation": "trim", "text": "xyaxy", "fill": "yx", "side": "right"}`, "xya"},
		{`{"operation": "pad", "text": "7", "length": 3, "fill": "0", "side": "left"}`, "007"},
		{`{"operation": "pad", "text": "é", "length": 3}`, "é  "},
		{`{"operation": "pad", "text": "ab", "length": 7, "fill": "-=", "side": "both"}`, "-=ab-=-"},
		{`{"operation": "pad", "text": "long", "length": 2}`, "long"},
		{`{"operation": "repeat", "text": "ab", "count": 3}`, "ababab"},
		{`{"operation": "repeat", "text": "", "count": 9000000000}`, ""},
		{`{"operation": "truncate", "text": "abcdef", "length": 4}`, "abc…"},
		{`{"operation": "truncate", "text": "abcd", "length": 4}`, "abcd"},
		{`{"operation": "truncate", "text": "🇩🇪🇫🇷🇮🇹", "length": 2, "fill": ""}`, "🇩🇪🇫🇷"},
		{`{"operation": "truncate", "text": "aaaa", "length": 2, "fill": ""}`, "aa"},
		{`{"operation": "substring", "text": "äbcdef", "start": 1, "end": 3}`, "bc"},
		{`{"operation": "substring", "text": "abcdef", "start": -2}`, "ef"},
		{`{"operation": "substring", "text": "abcdef", "end": -2}`, "abcd"},
		{`{"operation": "substring", "text": "abc", "start": 2, "end": 1}`, ""},
		{`{"operation": "substring", "text": "abc", "start": -99, "end": 99}`, "abc"},
		{`{"operation": "join", "items": ["a", "", "b"], "separator": "-"}`, "a--b"},
		{`{"operation": "join", "items": ["a", "b"]}`, "a, b"},
		{`{"operation": "join", "items": []}`, ""},
		{`{"operation": "contains", "text": "a.c", "search": "."}`, "true"},
		{`{"operation": "contains", "text": "abc", "search": "."}`, "false"},
		{`{"operation": "contains", "text": "abc", "search": "B", "ignore_case": true}`, "true"},
		{`{"operation": "starts_with", "text": "ab\nab", "search": "ab"}`, "true"},
		{`{"operation": "starts_with", "text": "xb", "search": "a|b", "regex": true}`, "false"},
		{`{"operation": "ends_with", "text": "file.TAR", "search": ".tar", "ignore_case": true}`, "true"},
		{`{"operation": "ends_with", "text": "ab\n", "search": "ab"}`, "false"},
		{`{"operation": "index_of", "text": "äöü", "search": "ü"}`, "2"},
		{`{"operation": "index_of", "text": "abc", "search": "x"}`, "-1"},
		{`{"operation": "count", "text": "strawberry", "search": "r", "count": 1}`, "3"},
		{`{"operation": "count", "text": "aaaa", "search": "aa"}`, "2"},
		{`{"operation": "replace", "text": "1$1", "search": "1", "replacement": "$1"}`, "$1$$1"},
		{`{"operation": "replace", "text": "aaa", "search": "a", "count": 2}`, "a"},
		{`{"operation": "replace", "text": "k: v", "search": "(?P<k>\\w+): (\\w+)", "replacement": "${2}=${k}$$", "regex": true}`, "v=k$"},
		{`{"operation": "replace", "text": "1.2-3", "search": "(\\d)-(\\d)", "replacement": "$2v$1", "regex": true}`, "1.3v2"},
		{`{"operation": "replace", "text": "a-b", "search": "(?P<x>\\w)-(?P<y>\\w)", "replacement": "$y-${x}_$0", "regex": true}`, "b-a_a-b"},
		{`{"operation": "replace", "text": "abcdefghijk", "search": "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "replacement": "$11$1${1}1", "regex": true}`, "kaa1"},
		{`{"operation": "replace", "text": "ab", "search": "(a)|(b)", "replacement": "<$1$2>", "regex": true}`, "<a><b>"},
		{`{"operation": "replace", "text": "5", "search": "(\\d)", "replacement": "$ $1.00 US$$, $-, é$", "regex": true}`, "$ 5.00 US$, $-, é$"},
		{`{"operation": "replace", "text": "ab", "search": "x*", "replacement": "-", "regex": true}`, "-a-b-"},
		{`{"operation": "split", "text": "a,b,,c", "search": ","}`, `["a", "b", "", "c"]`},
		{`{"operation": "split", "text": ",a,", "search": ","}`, `["", "a", ""]`},
		{`{"operation": "split", "text": "a1b22c", "search": "\\d+", "regex": true, "count": 1}`, `["a", "b22c"]`},
		{`{"operation": "snake", "text": "हिन्दी भाषा"}`, "हिन्दी_भाषा"},
		{`{"operation": "title", "text": "cafe\u0301 ÉTÉ हिन्दी"}`, "Cafe\u0301 Été हिन्दी"},
		{`{"operation": "truncate", "text": "हिन्दी", "length": 1, "fill": ""}`, "हि"},
		{`{"operation": "extract", "text": "读取工具, État ४२", "search": "\\w+"}`, `["读取工具", "État", "४२"]`},
		{`{"operation": "count", "text": "café caf", "search": "\\bcaf\\b", "regex": true}`, "1"},
		{`{"operation": "replace", "text": "你好世界 世界", "search": "\\b(世)界\\b", "replacement": "[$1]", "regex": true}`, "你好世界 [世]"},
		{`{"operation": "index_of", "text": "é世a a", "search": "\\ba\\b", "regex": true}`, "4"},
		{`{"operation": "contains", "text": "ÉTAT", "search": "état", "ignore_case": true}`, "true"},
		{`{"operation": "contains", "text": "cafe\u0301", "search": "café"}`, "false"},
		{`{"operation": "split", "text": "aé<", "search": "(?:)", "regex": true}`, `["a", "é", "<"]`},
		{`{"operation": "extract", "text": "a1 b22", "search": "\\d+"}`, `["1", "22"]`},
		{`{"operation": "extract", "text": "a1 b22", "search": "[a-z](\\d+)"}`, `["1", "22"]`},
		{`{"operation": "extract", "text": "a1 b", "search": "([a-z])(\\d)?"}`, `[["a", "1"], ["b", null]]`},
		{`{"operation": "extract", "text": "a1 b2", "search": "(?P<l>[a-z])(\\d)", "count": 1}`, `[{"l": "a"}]`},
		{`{"operation": "extract", "text": "abc", "search": "\\d"}`, `[]`},
		{`{"operation": "encode", "text": "<a href=\"x\">&'", "format": "html"}`, "&lt;a href=&#34;x&#34;&gt;&amp;&#39;"},
		{`{"operation": "decode", "text": "&lt;&auml;&#x1F600;&unknown;", "format": "html"}`, "<ä😀&unknown;"},
		{`{"operation": "encode", "text": "a b/ü+~", "format": "url"}`, "a%20b%2F%C3%BC%2B~"},
		{`{"operation": "decode", "text": "a%20b+%C3%BC", "format": "url"}`, "a b ü"},
		{`{"operation": "encode", "text": "a\"\n<", "format": "json"}`, `"a\"\n<"`},
		{`{"operation": "decode", "text": "a\\n\\u00fc", "format": "json"}`, "a\nü"},
		{`{"operation": "decode", "text": " \"a\\\"\" ", "format": "json"}`, `a"`},
		{`{"operation": "encode", "text": "?>ü", "format": "base64"}`, "Pz7DvA=="},
		{`{"operation": "encode", "text": "?>ü", "format": "base64url"}`, "Pz7DvA"},
		{`{"operation": "decode", "text": "Pz7D\n vA", "format": "base64"}`, "?>ü"},
		{`{"operation": "encode", "text": "ü", "format": "hex"}`, "c3bc"},
		{`{"operation": "decode", "text": "C3 bc", "format": "hex"}`, "ü"},
		{`{"operation": "encode", "text": "a.b", "format": "regex"}`, `a\.b`},
		{`{"operation": "encode", "text": "it's $x", "format": "shell"}`, `'it'\''s $x'`},
	} {
		t.Run(test.arguments, func(t *testing.T) {
			got, err := tooltest.Invoke(t, Run, test.arguments)
			if err != nil || got != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestRun_errors(t *testing.T) {
	for _, test := range []struct{ arguments, want string }{
		{`{"operation": "uper", "text": "a"}`, `the argument "operation" is "uper"; it must be one of camel, capitalize,`},
		{`{"operation": "upper"}`, "the argument \"text\" is missing"},
		{`{"operation": "join"}`, "join: the argument \"items\" is missing"},
		{`{"operation": "replace", "text": "a"}`, "replace: the argument \"search\" is missing"},
		{`{"operation": "split", "text": "a", "search": ""}`, "split: the argument \"search\" is missing or empty"},
		{`{"operation": "count", "text": "a", "search": "(?=a)", "regex": true}`, "count: the argument \"search\" is not a valid RE2 regular expression"},
		{`{"operation": "count", "text": "a", "search": ")(", "regex": true, "ignore_case": true}`, "unexpected )"},
		{`{"operation": "replace", "text": "a", "search": "a", "count": 0}`, "the argument \"count\" is 0"},
		{`{"operation": "replace", "text": "a", "search": "a", "replacement": "$1", "regex": true}`, "replacement: there is no group $1; the regular expression has only group 0, the whole match; write $$ for a dollar sign"},
		{`{"operation": "replace", "text": "a", "search": "(a)", "replacement": "$12", "regex": true}`, "there is no group $12; the regular expression has groups 0 to 1; write ${1}2 for a group and digits, and write $$"},
		{`{"operation": "replace", "text": "b", "search": "(a)", "replacement": "$2", "regex": true}`, "there is no group $2"},
		{`{"operation": "replace", "text": "a", "search": "(?P<x>a)", "replacement": "$x_", "regex": true}`, "there is no group $x_; the regular expression has groups 0 to 1, and the names x;"},
		{`{"operation": "replace", "text": "a", "search": "(a)", "replacement": "${2", "regex": true}`, `replacement: write "${name}", or $$ for a dollar sign; a name or the closing brace is missing`},
		{`{"operation": "replace", "text": "a", "search": "(a)", "replacement": "${}", "regex": true}`, `replacement: write "${name}", or $$ for a dollar sign; a name or the closing brace is missing`},
		{`{"operation": "replace", "text": "a", "search": "(a)", "replacement": "$99999999999999999999", "regex": true}`, "there is no group $99999999999999999999"},
		{`{"operation": "pad", "text": "a"}`, "pad: the argument \"length\" is missing"},
		{`{"operation": "pad", "text": "a", "length": 3, "fill": ""}`, "the argument \"fill\" is empty"},
		{`{"operation": "pad", "text": "a", "length": 3, "side": "top"}`, `the argument "side" is "top"`},
		{`{"operation": "trim", "text": "a", "side": "top"}`, `the argument "side" is "top"`},
		{`{"operation": "pad", "text": "a", "length": 9000000000000}`, "the argument \"length\" is 9000000000000; it must be from 0 to"},
		{`{"operation": "truncate", "text": "abcdef", "length": 2, "fill": "[...]"}`, "too short for the ending"},
		{`{"operation": "repeat", "text": "a"}`, "the argument \"count\" is missing"},
		{`{"operation": "repeat", "text": "a", "count": -1}`, "the argument \"count\" is -1"},
		{`{"operation": "repeat", "text": "ab", "count": 9223372036854775807}`, "larger than the limit of 1048576 bytes"},
		{`{"operation": "encode", "text": "a"}`, "encode: the argument \"format\" is missing"},
		{`{"operation": "decode", "text": "a", "format": "shell"}`, `the argument "format" is "shell"; it must be html,`},
		{`{"operation": "decode", "text": "a%zz", "format": "url"}`, "text is not valid url"},
		{`{"operation": "decode", "text": "a\nb", "format": "json"}`, "text is not valid json"},
		{`{"operation": "decode", "text": "ab!c", "format": "base64"}`, "character 3 is not valid Base64"},
		{`{"operation": "decode", "text": "abc", "format": "hex"}`, "text is not valid hex"},
		{`{"operation": "decode", "text": "ff00", "format": "hex"}`, "2 bytes that are not valid UTF-8; in hexadecimal the first bytes are ff00"},
	} {
		t.Run(test.arguments, func(t *testing.T) {
			got, err := tooltest.Invoke(t, Run, test.arguments)
			if err == nil || !strings.Contains(err.Error(), test.want) || got != "" {
				t.Errorf("got %q, %v; want an error with %q", got, err, test.want)
			}
		})
	}
}

// Arguments that are as large as a host accepts cause an error and do not use up the memory.
func TestRun_large(t *testing.T) {
	long := strings.Repeat("a", MaxText)
	text, search, replacement := &long, "a", strings.Repeat("b", 1000)
	whole := strings.Repeat("(", 20) + "a+" + strings.Repeat(")", 20)
	tooLarge := long + "a"
	for name, test := range map[string]struct {
		args Args
		want string
	}{
		"text":         {Args{Operation: "upper", Text: &tooLarge}, "the argument \"text\" has 1048577 bytes"},
		"matches":      {Args{Operation: "split", Text: text, Search: &search}, "more than the limit of 50000 matches"},
		"replacements": {Args{Operation: "replace", Text: text, Search: &search, Replacement: &replacement, Count: new(toolabi.Int(maxMatches))}, "larger than the limit of 1048576 bytes"},
		"groups":       {Args{Operation: "extract", Text: text, Search: &whole}, "larger than the limit of 1048576 bytes"},
		"items":        {Args{Operation: "join", Items: []string{"", "", ""}, Separator: text}, "larger than the limit of 1048576 bytes"},
		"growth":       {Args{Operation: "encode", Format: Hex, Text: text}, "larger than the limit of 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			if err := Run(test.args, &out); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %d bytes, %v; want an error with %q", out.Len(), err, test.want)
			}
		})
	}
}

// Decoding reverses encoding, and no text makes the tool panic.
func FuzzEncode(f *testing.F) {
	f.Add("a&amp;<ü>'\" %20+\x00\u2028")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		for _, format := range []Format{HTML, URL, JSON, Base64, Base64URL, Hex} {
			encoded, err := encode(Args{Text: &text, Format: format})
			if err != nil {
				t.Fatal(err)
			}
			if decoded, err := decode(Args{Text: &encoded, Format: format}); err != nil || decoded != text {
				t.Errorf("%s: %q became %q and then %q, %v", format, text, encoded, decoded, err)
			}
		}
		for _, change := range []func(string) string{title, capitalize, camel, snake, slug, reverse, length, lines} {
			change(text)
		}
	})
}
