package config

import "testing"

// The suggested lines keep what the file already grants.
func TestLinesOfAdvice(t *testing.T) {
	for _, tt := range []struct {
		file  string
		words []string
		want  string
	}{
		{"", []string{"write:workspace", "kv:read"}, "[tools.a]\nallow = [\"write:workspace\", \"kv:read\"]"},
		{"[tools.b]\nallow = [\"clock\"]", []string{"clock"}, "[tools.a]\nallow = [\"clock\"]"},
		{"\n[tools.a]\nenabled = true", []string{"clock"}, "[tools.a] # already exists, wasmtool.toml:2; change it to have\nallow = [\"clock\"]"},
		{"tools.a.allow = [\"clock\", \"kv:read\"]", []string{"kv:read", "random"}, "[tools.a] # already exists, wasmtool.toml:1; change it to have\nallow = [\"clock\", \"kv:read\", \"random\"]"},
		{"", []string{"read:data"}, "[mounts]\ndata = \"PATH\"\n[tools.a]\nallow = [\"read:data\"]"},
		{"[mounts]\nb = \".\"", []string{"read:data", "write:b"}, "[mounts] # already exists, wasmtool.toml:1; change it to have\ndata = \"PATH\"\n[tools.a]\nallow = [\"read:data\", \"write:b\"]"},
	} {
		if got := mustDecode(t, tt.file).AllowLines("a", tt.words); got != tt.want {
			t.Errorf("%q: got\n%s\nwant\n%s", tt.file, got, tt.want)
		}
	}
	for file, want := range map[string]string{
		"":                             "[shell]\nallow = [\"git push *\"]",
		"[shell]\ndeny = [\"rm\"]":     "[shell] # already exists, wasmtool.toml:1; change it to have\nallow = [\"git push *\"]",
		"[shell]\nallow = [\"npm x\"]": "[shell] # already exists, wasmtool.toml:1; change it to have\nallow = [\"npm x\", \"git push *\"]",
	} {
		if got := mustDecode(t, file).ShellLines([]string{"git push *"}); got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", file, got, want)
		}
	}
	if got, want := new(Config).AllowLines("a", []string{"clock"}), "[tools.a]\nallow = [\"clock\"]"; got != want {
		t.Errorf("no file: got %s", got)
	}
}
