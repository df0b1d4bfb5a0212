package provider

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// Whatever a server sends with an error, its message is short and printable, and a wait is not
// negative and has no overflow.
func FuzzErrorResponse(f *testing.F) {
	for _, body := range []string{
		`{"error":{"message":"Unknown field.","type":"x"}}`, `[{"error":{"code":400,"message":"No."}}]`,
		`{"message":{"detail":[{"loc":["body"]}]}}`, `{"error":null,"detail":"x"}`, "<html>", "\x1b[31m\u202e\xff",
	} {
		f.Add(body, "12", "Wed, 21 Oct 2015 07:28:00 GMT")
	}
	f.Add("", "1e9", "1e9")
	f.Fuzz(func(t *testing.T, body, milliseconds, after string) {
		message := messageOf(&egress.Response{Body: io.NopCloser(strings.NewReader(body))})
		const longest = len(`\U0010ffff`) // the escape of a byte or character
		if finding, found := plaintext.First(message, plaintext.Line); found || len(message) > longest*(300+len("...")) {
			t.Errorf("%q of %q: %v", message, body, finding)
		}
		header := http.Header{"Retry-After-Ms": {milliseconds}, "Retry-After": {after}}
		if wait, _ := egress.RetryAfter(header, time.Now()); wait < 0 {
			t.Errorf("%v for %q", wait, header)
		}
	})
}
