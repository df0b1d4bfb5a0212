package rest

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestReportedWaitIsLimited(t *testing.T) {
	t.Parallel()
	for after, want := range map[string]time.Duration{"30": 30 * time.Second, "99999999": 24 * time.Hour} {
		err := refused(&egress.Response{
			Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {after}}, Body: io.NopCloser(strings.NewReader("")),
		})
		var e *tool.Error
		if !errors.As(err, &e) || e.Details.RetryAfter != want {
			t.Errorf("%s: %+v", after, err)
		}
	}
}
