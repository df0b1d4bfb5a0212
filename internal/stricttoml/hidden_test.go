package stricttoml

import (
	"strings"
	"testing"
)

func TestHiddenCharacters(t *testing.T) {
	const head = "name = \"street\"\n"
	for _, tt := range []struct{ text, want string }{
		{"name = \"stre\u200bet\"", "shop.toml:1:8: name: contains U+200B, a character without width, "},
		{head + `tags = ["a", "b\u202e"]`, "shop.toml:2:14: tags[1]: contains U+202E, "},
		{head + "tags = [\"a\", '''\nb\u2800''']", "shop.toml:2:14: tags[1]: contains U+2800, a filler, "},
		{head + `shelf."b\u3164read" = "rye"`, `shop.toml:2:7: shelf."bㅤread": the key contains U+3164, `},
		{head + `shelf."b\nread" = "rye"`, `shop.toml:2:7: shelf."b\nread": the key contains U+000A, `},
		{head + `json = { x = [{ y = "\U000E0041" }] }`, "shop.toml:2:21: json.x[0].y: contains U+E0041, "},
		{head + `json = { "x\u00ad" = 1 }`, `shop.toml:2:10: json."x\u00ad": the key contains U+00AD, `},
		{head + "open = true # \u2066 // }", "shop.toml:2:15: a comment contains U+2066, "},
	} {
		_, err := readShop(tt.text)
		if err == nil || !strings.HasPrefix(err.Error(), strings.ReplaceAll(tt.want, "ㅤ", `\u3164`)) ||
			!strings.HasSuffix(err.Error(), "; leave it out") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+q\ngives %v\nwant  %s", tt.text, err, tt.want)
		}
	}
	legal := head + "tags = [\"two\\nlines\", \"tab\\t\", \"👩🏽\u200d🚀 ❤️\"]\nshelf.\"می\u200cخواهم\" = \"1️⃣\" # ✅"
	if _, err := readShop(legal); err != nil {
		t.Error(err)
	}
}
