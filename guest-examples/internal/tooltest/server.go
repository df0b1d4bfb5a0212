package tooltest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Server is a service with one fixed response; it records the last request.
type Server struct {
	*httptest.Server
	Method, Path, Query, Body string
	Header                    http.Header
}

// Serve starts a service that responds with JSON and with headers, which alternate names and
// values. Its responses are dated January 2026. The service stops at the end of the test.
func Serve(t *testing.T, status int, answer string, headers ...string) *Server {
	t.Helper()
	s := &Server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.Method, s.Path, s.Query, s.Body, s.Header = r.Method, r.URL.Path, r.URL.Query().Encode(), string(body), r.Header
		w.Header().Set("Date", "Sat, 31 Jan 2026 15:00:00 GMT")
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(s.Close)
	return s
}
