// Package telemetry records traces and metrics of the calls of a registry with OpenTelemetry. It
// uses only the API: the providers that the program passes decide where spans and metrics go.
// Names follow the semantic conventions for generative AI. Other names begin with "wasmtool.".
//
// The IDs of calls and the names of tools are recorded, and nothing else that a tool, a model or
// a server wrote: no arguments, results, log messages or error messages.
package telemetry

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/wasmtool/wasmtool/registry/internal/callspan"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Options lists the providers of spans and metrics.
type Options struct {
	// Tracer receives a span "execute_tool NAME" for each call; nil means no spans.
	Tracer trace.TracerProvider
	// Meter receives the histograms gen_ai.execute_tool.duration, in seconds, and
	// wasmtool.call.fuel, and the counter wasmtool.calls.active; nil means no metrics.
	Meter metric.MeterProvider
}

// Observer observes the calls of a registry; see Observer of ledger.Options. It is safe for
// concurrent use. The zero value is not usable; see [New].
type Observer struct {
	tracer   trace.Tracer
	duration metric.Float64Histogram
	fuel     metric.Int64Histogram
	active   metric.Int64UpDownCounter
}

// New returns an Observer. The error is an error of the Meter.
func New(o Options) (*Observer, error) {
	if o.Tracer == nil {
		o.Tracer = tracenoop.NewTracerProvider()
	}
	if o.Meter == nil {
		o.Meter = metricnoop.NewMeterProvider()
	}
	meter := o.Meter.Meter(callspan.Scope)
	duration, noDuration := meter.Float64Histogram("gen_ai.execute_tool.duration", metric.WithUnit("s"),
		metric.WithDescription("Total duration of tool calls."),
		metric.WithExplicitBucketBoundaries(.0001, .001, .01, .05, .1, .5, 1, 5, 10, 30, 60, 300))
	fuel, noFuel := meter.Int64Histogram("wasmtool.call.fuel", metric.WithUnit("{unit}"),
		metric.WithDescription("Fuel that guests used, in the units of limits.fuel."),
		metric.WithExplicitBucketBoundaries(1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10))
	active, noActive := meter.Int64UpDownCounter("wasmtool.calls.active", metric.WithUnit("{call}"),
		metric.WithDescription("Calls in flight."))
	if err := errors.Join(noDuration, noFuel, noActive); err != nil {
		return nil, fmt.Errorf("the metrics cannot be created: %w", err)
	}
	return &Observer{tracer: o.Tracer.Tracer(callspan.Scope), duration: duration, fuel: fuel, active: active}, nil
}

// Begin starts the span of a call. The span gets the name of the tool only when it ends, because
// only then is it known that the tool exists.
func (o *Observer) Begin(ctx context.Context, _ tool.Call) (context.Context, func(tool.Receipt)) {
	spanned, span := o.tracer.Start(ctx, callspan.Operation, trace.WithSpanKind(trace.SpanKindInternal),
		trace.WithAttributes(attribute.String(callspan.KeyOperation, callspan.Operation)))
	o.active.Add(ctx, 1)
	return spanned, func(r tool.Receipt) {
		o.active.Add(ctx, -1)
		o.count(spanned, r)
		end(span, r)
	}
}

// count records the metrics of a call. Their attributes must have few values, so there are no IDs
// and no tenants.
func (o *Observer) count(ctx context.Context, r tool.Receipt) {
	attributes := []attribute.KeyValue{attribute.String(callspan.KeyToolName, callspan.ToolName(r))}
	if r.Code != "" {
		attributes = append(attributes, attribute.String(callspan.KeyErrorType, string(r.Code)))
	}
	if r.Decision != "" {
		attributes = append(attributes, attribute.String(callspan.KeyDecision, r.Decision))
	}
	set := metric.WithAttributeSet(attribute.NewSet(attributes...))
	o.duration.Record(ctx, r.Duration.Seconds(), set)
	if r.Fuel > 0 {
		o.fuel.Record(ctx, int64(min(r.Fuel, 1<<62)), set)
	}
}

// end sets the attributes of a span and ends it.
func end(span trace.Span, r tool.Receipt) {
	defer span.End()
	if !span.IsRecording() {
		return
	}
	span.SetName(callspan.Name(r))
	for _, a := range callspan.Attributes(r) {
		switch v := a.Value.(type) {
		case string:
			span.SetAttributes(attribute.String(a.Key, v))
		case bool:
			span.SetAttributes(attribute.Bool(a.Key, v))
		case int64:
			span.SetAttributes(attribute.Int64(a.Key, v))
		case float64:
			span.SetAttributes(attribute.Float64(a.Key, v))
		}
	}
	if r.Code != "" {
		span.SetStatus(codes.Error, string(r.Code))
	}
}
