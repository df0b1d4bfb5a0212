package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"

	"golang.org/x/net/netutil"

	"github.com/wasmtool/wasmtool/registry/catalogue"
)

// maxAdminConnections limits the connections to ServeAdmin.
const maxAdminConnections = 64

// ServeAdmin serves pages for monitoring on l until ctx is done. /healthz answers 200 while the
// process runs. /readyz answers 200 while the server accepts calls, and 503 while it is stopping.
// /metrics has counters in the text format of Prometheus, with names of tools, but without
// arguments, results and names of users. There is no authentication, so a listener that other
// machines can reach needs a firewall. ServeAdmin closes l, and returns the error of l.
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
		head(&text, "wasmtool_build_info", "gauge", "The versions of wasmtool and Go; the value is 1.")
		fmt.Fprintf(&text, "wasmtool_build_info{version=%q,goversion=%q} 1\n", cmp.Or(s.opts.Version, "unknown"), runtime.Version())
		s.metrics.write(&text)
		number(&text, "wasmtool_calls_running", "gauge", "Running calls.", s.running.count())
		number(&text, "wasmtool_sessions", "gauge", "Connected clients.", s.sessionCount())
		number(&text, "wasmtool_tools", "gauge", "Offered tools.", len(s.registry.Tools().List(catalogue.Filter{})))
		writeProcess(&text)
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(text.Bytes())
	})
	return mux
}
