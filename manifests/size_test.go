package manifests

import (
	"testing"
	"time"
)

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

func TestParseTimeout(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1ms": time.Millisecond, "1h": time.Hour, "60m": time.Hour, "1m30s": 90 * time.Second,
		"0.5s": 500 * time.Millisecond, "1h0m0s": time.Hour,
	} {
		if got, err := parseTimeout(text); err != nil || got != want {
			t.Errorf("parseTimeout(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestFormatSize(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0B", 1: "1B", 1024: "1KiB", 1025: "1025B", 64 << 20: "64MiB", 4 << 30: "4GiB", 3 << 29: "1536MiB",
	} {
		if got := formatSize(n); got != want {
			t.Errorf("formatSize(%d) = %q, want %q", n, got, want)
		}
	}
}
