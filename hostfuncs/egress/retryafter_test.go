package egress_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, tc := range []struct {
		value, date, milliseconds string
		want                      time.Duration
		ok                        bool
	}{
		{"30", "", "", 30 * time.Second, true},
		{" 0 ", "", "", 0, true},
		{at(time.Minute), "", "", time.Minute, true},
		{at(time.Minute), at(-time.Minute), "", 2 * time.Minute, true}, // by a slow clock
		{at(-time.Hour), "", "", 0, true},
		{"99999999", "", "", 99_999_999 * time.Second, true},
		{"0.5", "", "", 500 * time.Millisecond, true},
		{"9", "", "150", 150 * time.Millisecond, true},
		{"9", "", "-1", 9 * time.Second, true},
		{"NaN", "", "1e300", 0, false},
		{"", "", "", 0, false},
		{"-1", "", "", 0, false},
		{"99999999999999999999", "", "", 0, false},
		{"soon", "", "", 0, false},
	} {
		got, ok := egress.RetryAfter(http.Header{"Retry-After": {tc.value}, "Retry-After-Ms": {tc.milliseconds}, "Date": {tc.date}}, now)
		if got != tc.want || ok != tc.ok {
			t.Errorf("%q at %q: %v, %v; want %v, %v", tc.value, tc.date, got, ok, tc.want, tc.ok)
		}
	}
}
