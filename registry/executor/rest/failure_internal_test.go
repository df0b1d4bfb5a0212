package rest

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, tc := range []struct {
		value, date string
		want        time.Duration
		ok          bool
	}{
		{"30", "", 30 * time.Second, true},
		{" 0 ", "", 0, true},
		{at(time.Minute), "", time.Minute, true},
		{at(time.Minute), at(-time.Minute), 2 * time.Minute, true}, // the server's clock is slow
		{at(-time.Hour), "", 0, true},
		{"99999999", "", 24 * time.Hour, true},
		{"", "", 0, false},
		{"-1", "", 0, false},
		{"99999999999999999999", "", 0, false},
		{"soon", "", 0, false},
	} {
		got, ok := retryAfter(http.Header{"Retry-After": {tc.value}, "Date": {tc.date}}, now)
		if got != tc.want || ok != tc.ok {
			t.Errorf("%q at %q: %v, %v; want %v, %v", tc.value, tc.date, got, ok, tc.want, tc.ok)
		}
	}
}
