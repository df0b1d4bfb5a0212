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

// maxAdminConnections bounds those that watch.
const maxAdminConnections = 64

// ServeAdmin answers whoever watches over the server, on a listener of its own, until ctx
// is done: /healthz says that the process answers, /readyz whether it takes calls (200) or
// is stopping (503), and /metrics counts in the text format of Prometheus. They name tools
// and reveal no arguments or results. It closes l. Nobody is asked for a token, so a
// listener that others can reach needs a firewall. The error is that of the listener.
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
	defer context.AfterFunc(ctx, func() { _ = server.Close() })() // Serve tells
	err := server.Serve(netutil.LimitListener(l, maxAdminConnections))
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (s *Server) adminPages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok\n") // the reader may be gone, here and below
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !s.running.accepting() {
			http.Error(w, "stopping", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ready\n")
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		var text bytes.Buffer // so that no lock is held for a slow reader
		s.metrics.write(&text)
		gauge(&text, "wasmtool_calls_running", "Calls that run.", s.running.count())
		gauge(&text, "wasmtool_sessions", "Clients that are connected.", s.sessionCount())
		gauge(&text, "wasmtool_tools", "Tools that are offered.", len(s.registry.Tools().List(catalogue.Filter{})))
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(text.Bytes())
	})
	return mux
}

// metrics counts what a monitoring system wants to know. It is safe for concurrent use.
type metrics struct {
	mu      sync.Mutex
	calls   map[callLabels]uint64
	buckets [len(latencies) + 1]uint64 // of the durations of calls, by latencies; the last is for longer ones
	seconds float64
	refused map[string]uint64 // HTTP requests, by reason
}

type callLabels struct {
	tool string
	code tool.Code
}

// latencies are the bounds of the buckets, in seconds.
var latencies = [...]float64{0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60}

func newMetrics() *metrics {
	return &metrics{calls: make(map[callLabels]uint64), refused: make(map[string]uint64)}
}

// called counts a call. Only tools that are offered get here, so that a client cannot make
// the labels grow.
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
	head(w, "wasmtool_calls_total", "counter", "Calls that ended, by tool and error code (empty for success).")
	byName := func(a, b callLabels) int { return cmp.Or(cmp.Compare(a.tool, b.tool), cmp.Compare(a.code, b.code)) }
	for _, l := range slices.SortedFunc(maps.Keys(m.calls), byName) {
		fmt.Fprintf(w, "wasmtool_calls_total{tool=%q,code=%q} %d\n", l.tool, l.code, m.calls[l])
	}
	head(w, "wasmtool_call_seconds", "histogram", "How long calls took, from asking to answer.")
	sum := uint64(0)
	for i, bound := range latencies {
		sum += m.buckets[i]
		fmt.Fprintf(w, "wasmtool_call_seconds_bucket{le=\"%g\"} %d\n", bound, sum)
	}
	sum += m.buckets[len(latencies)]
	fmt.Fprintf(w, "wasmtool_call_seconds_bucket{le=\"+Inf\"} %d\nwasmtool_call_seconds_sum %g\nwasmtool_call_seconds_count %d\n", sum, m.seconds, sum)
	head(w, "wasmtool_http_refused_total", "counter", "HTTP requests that were refused, by reason.")
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
