package egress

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter returns how long a server asks to wait before the next request, in the header
// Retry-After: seconds or a time, which is from the server's clock. ok is false if the header is
// missing or invalid. Providers of models also send milliseconds, in Retry-After-Ms.
func RetryAfter(h http.Header, now time.Time) (wait time.Duration, ok bool) {
	const limit = 1e9 // so that the duration cannot overflow
	if n, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && n >= 0 && n <= limit {
		return time.Duration(n * float64(time.Millisecond)), true
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.ParseFloat(value, 64); err == nil && n >= 0 && n <= limit {
		return time.Duration(n * float64(time.Second)), true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		now = sent
	}
	return max(at.Sub(now), 0), true
}
