package config

import (
	"strings"
	"testing"
)

// The test inserts a zero-width character into the strings of the document's examples, one string
// at a time.
func TestHiddenCharactersInEveryString(t *testing.T) {
	tried := 0
	for _, block := range strings.Split(readDoc(t), "```toml\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		for offset := range text {
			if text[offset] != '"' || strings.Count(text[strings.LastIndexByte(text[:offset], '\n')+1:offset], `"`)%2 != 0 ||
				strings.Contains(text[strings.LastIndexByte(text[:offset], '\n')+1:offset], "#") {
				continue
			}
			tried++
			_, err := decode(text[:offset+1] + "\u200b" + text[offset+1:])
			if err == nil || !strings.Contains(err.Error(), "contains U+200B, ") {
				t.Errorf("%s\nat %d: got %v", text, offset, err)
			}
		}
	}
	if tried < 50 {
		t.Errorf("tried %d texts", tried)
	}
}
