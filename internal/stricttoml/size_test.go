package stricttoml

import (
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1ms": time.Millisecond, "1h": time.Hour, "60m": time.Hour, "1m30s": 90 * time.Second,
		"0.5s": 500 * time.Millisecond, "1h0m0s": time.Hour,
	} {
		if got, err := ParseDuration(text, time.Millisecond, time.Hour); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestFormatDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Millisecond: "1ms", 10 * time.Second: "10s", 90 * time.Second: "1m30s",
		time.Hour: "1h", 10 * time.Minute: "10m", 70 * time.Minute: "1h10m", time.Hour + time.Second: "1h0m1s",
	} {
		if got := FormatDuration(d); got != want {
			t.Errorf("FormatDuration(%d) = %q, want %q", d, got, want)
		}
	}
}

func TestFormatSize(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0B", 1: "1B", 1024: "1KiB", 1025: "1025B", 64 << 20: "64MiB", 4 << 30: "4GiB", 3 << 29: "1536MiB",
	} {
		if got := FormatSize(n); got != want {
			t.Errorf("FormatSize(%d) = %q, want %q", n, got, want)
		}
	}
}
