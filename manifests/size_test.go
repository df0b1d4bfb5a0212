package manifests

import "testing"

func TestParseMemory(t *testing.T) {
	for text, want := range map[string]uint64{
		"64KiB": 64 << 10, "65536B": 64 << 10, "64MiB": 64 << 20, "64 MiB": 64 << 20,
		"4GiB": 4 << 30, "4096MiB": 4 << 30, "064MiB": 64 << 20,
	} {
		if got, err := parseMemory(text); err != nil || got != want {
			t.Errorf("parseMemory(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
}
