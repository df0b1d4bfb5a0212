package mcpserver

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"

	"golang.org/x/net/netutil"

	"github.com/wasmtool/wasmtool/registry/catalogue"
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
