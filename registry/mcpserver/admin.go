package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// maxAdminConnections limits the connections to ServeAdmin.
const maxAdminConnections = 64

// ServeAdmin serves pages for monitoring on l until ctx is done. /healthz answers 200 while the
// process runs. /readyz answers 200 while the server accepts calls, and 503 while it is stopping.
// /metrics has counters in the text format of Prometheus, with names of tools but without arguments
// and results. There is no authentication, so a listener that other machines can reach needs a
// firewall. ServeAdmin closes l, and returns the error of l.
func (s *Server) ServeAdmin(ctx context.Context, l net.Listener) error {
	hosts := hostRule{local: isLoopback(l.Addr())}
	pages := s.adminPages()
	server := newHTTPServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refused := hosts.check(r); refused != nil {
			http.Error(w, refused.text, refused.status)
			return
		}
		pages.ServeHTTP(w, r)
	}), s.log)
	defer context.AfterFunc(ctx, func() { _ = server.Close() })() // Serve returns the error
	err := server.Serve(netutil.LimitListener(l, maxAdminConnections))
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (s *Server) adminPages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		// fails if the client has disconnected; the same applies below
		_, _ = io.WriteString(w, "ok\n")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !s.running.accepting() {
			http.Error(w, "stopping", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ready\n")
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		var text bytes.Buffer // buffered, so that the lock does not wait for a slow client
		s.metrics.write(&text)
		gauge(&text, "wasmtool_calls_running", "Running calls.", s.running.count())
		gauge(&text, "wasmtool_sessions", "Connected clients.", s.sessionCount())
		gauge(&text, "wasmtool_tools", "Offered tools.", len(s.registry.Tools().List(catalogue.Filter{})))
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(text.Bytes())
	})
	return mux
}

// metrics holds the counters for monitoring. It is safe for concurrent use.
type metrics struct {
	mu    sync.Mutex
	calls map[callLabels]uint64
	// number of calls by duration; the last bucket has all longer calls
	buckets [len(latencies) + 1]uint64
	seconds float64           // of all calls
	refused map[string]uint64 // HTTP requests, by reason
}

type callLabels struct {
	tool string
	code tool.Code
}

// latencies are the upper bounds of the buckets, in seconds.
var latencies = [...]float64{0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60}

func newMetrics() *metrics {
	return &metrics{calls: make(map[callLabels]uint64), refused: make(map[string]uint64)}
}

// called counts a call in the metrics. Only calls of offered tools may be counted, so that a client
// cannot add labels.
func (m *metrics) called(name string, code tool.Code, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls[callLabels{name, code}]++
	i, _ := slices.BinarySearch(latencies[:], took.Seconds())
	m.buckets[i]++
	m.seconds += took.Seconds()
}

func (m *metrics) refuse(reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused[reason]++
}

// write prints the counters in the text format of Prometheus.
func (m *metrics) write(w *bytes.Buffer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	head(w, "wasmtool_calls_total", "counter", "Ended calls, by tool and error code (empty for success).")
	byName := func(a, b callLabels) int { return cmp.Or(cmp.Compare(a.tool, b.tool), cmp.Compare(a.code, b.code)) }
	for _, l := range slices.SortedFunc(maps.Keys(m.calls), byName) {
		fmt.Fprintf(w, "wasmtool_calls_total{tool=%q,code=%q} %d\n", l.tool, l.code, m.calls[l])
	}
	head(w, "wasmtool_call_seconds", "histogram", "Duration of calls, from request to response.")
	sum := uint64(0)
	for i, bound := range latencies {
		sum += m.buckets[i]
		fmt.Fprintf(w, "wasmtool_call_seconds_bucket{le=\"%g\"} %d\n", bound, sum)
	}
	sum += m.buckets[len(latencies)]
	fmt.Fprintf(w, "wasmtool_call_seconds_bucket{le=\"+Inf\"} %d\nwasmtool_call_seconds_sum %g\nwasmtool_call_seconds_count %d\n", sum, m.seconds, sum)
	head(w, "wasmtool_http_refused_total", "counter", "Refused HTTP requests, by reason.")
	for _, reason := range slices.Sorted(maps.Keys(m.refused)) {
		fmt.Fprintf(w, "wasmtool_http_refused_total{reason=%q} %d\n", reason, m.refused[reason])
	}
}

func gauge(w *bytes.Buffer, name, help string, value int) {
	head(w, name, "gauge", help)
	fmt.Fprintf(w, "%s %d\n", name, value)
}

func head(w *bytes.Buffer, name, kind, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}
