package cli

import "testing"

func TestByteCount(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1.0 KiB", 64 << 20: "64.0 MiB", 3 << 29: "1.5 GiB"} {
		if got := byteCount(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
