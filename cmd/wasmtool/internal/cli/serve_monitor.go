package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/otlp"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/runtime"
)

// measure makes the registry count what only it can see.
func (o *serveOptions) measure(options *standard.Options, metrics *mcpserver.Metrics) {
	options.Runtime.Events.Compile = func(e runtime.CompileEvent) {
		if e.Cached {
			metrics.CacheHit()
			return
		}
		e.OnEnd(metrics.Compiled)
	}
	options.Sources.Monitor = metrics
}

// flushTime limits how long the last spans may take to reach the collector.
const flushTime = 5 * time.Second

// trace sends the spans of calls to the collector of --otlp-endpoint or of the variables OTEL_*,
// until the returned function stop is called. Variables that cannot be used are only reported,
// because the program that starts the server may have set them for itself.
func (o *serveOptions) trace(cmd *cobra.Command, options *standard.Options, metrics *mcpserver.Metrics) (stop func(), _ error) {
	stop = func() {}
	settings, err := otlp.FromEnvironment(o.getenv, o.traces)
	if err == nil && settings.URL == "" {
		return stop, nil
	}
	settings.Logger, settings.OnSpans = o.log, metrics.Spans
	var exporter *otlp.Exporter
	if err == nil {
		exporter, err = otlp.New(settings)
	}
	switch {
	case err != nil && o.traces != "":
		return nil, usage(cmd, "--otlp-endpoint: "+err.Error())
	case err != nil:
		o.log.Warn("no traces are sent", "reason", err)
		return stop, nil
	}
	options.Registry.Calls.Observer = exporter
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), flushTime)
		defer cancel()
		exporter.Close(ctx)
	}, nil
}
