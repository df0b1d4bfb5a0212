// Package telemetry traces and counts the calls of a registry by OpenTelemetry. It uses the
// API alone: where spans and figures go is for the program to say, by the providers that it
// hands in. Names follow the conventions for generative AI; what those do not know begins
// with "wasmtool.".
//
// Nothing that a tool, a model or a server wrote is recorded, but for the names and ids of
// calls: no arguments, results, messages or texts of errors.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// scope names what the spans and figures come from.
const scope = "github.com/wasmtool/wasmtool/registry"

// Keys of attributes.
const (
	keyOperation    = "gen_ai.operation.name"
	keyToolName     = "gen_ai.tool.name"
	keyToolType     = "gen_ai.tool.type"
	keyCallID       = "gen_ai.tool.call.id"
	keyConversation = "gen_ai.conversation.id"
	keyErrorType    = "error.type"
	keyDecision     = "wasmtool.decision"
	keyRule         = "wasmtool.rule"
	keyApproved     = "wasmtool.approved"
	keyTenant       = "wasmtool.tenant"
	keyVersion      = "wasmtool.tool.version"
	keyFuel         = "wasmtool.fuel"
	keyMemory       = "wasmtool.memory"
	keyAttempts     = "wasmtool.attempts"
	keyWaited       = "wasmtool.waited" // in seconds
)

const executeTool = "execute_tool"

// maxValue bounds what a caller made up, in bytes. Names that are longer belong to calls
// that were not let in.
const maxValue = 512

// unknownTool stands for all names that no tool has, so that the series of figures are no
// more than there are tools.
const unknownTool = "(unknown)"

// Options says where spans and figures go.
type Options struct {
	// Tracer gets a span for each call, "execute_tool NAME"; nil means none.
	Tracer trace.TracerProvider
	// Meter gets the figures: the histograms gen_ai.execute_tool.duration, in seconds, and
	// wasmtool.call.fuel, and the number wasmtool.calls.active; nil means none.
	Meter metric.MeterProvider
}

// Observer watches the calls of a registry: it is what ledger.Options.Observer takes. It
// is safe for concurrent use. The zero value is not usable; see New.
type Observer struct {
	tracer   trace.Tracer
	duration metric.Float64Histogram
	fuel     metric.Int64Histogram
	active   metric.Int64UpDownCounter
}

// New returns an Observer. The error is that of the Meter.
func New(o Options) (*Observer, error) {
	if o.Tracer == nil {
		o.Tracer = tracenoop.NewTracerProvider()
	}
	if o.Meter == nil {
		o.Meter = metricnoop.NewMeterProvider()
	}
	meter := o.Meter.Meter(scope)
	duration, noDuration := meter.Float64Histogram("gen_ai.execute_tool.duration", metric.WithUnit("s"),
		metric.WithDescription("How long calls of tools take in all."),
		metric.WithExplicitBucketBoundaries(.0001, .001, .01, .05, .1, .5, 1, 5, 10, 30, 60, 300))
	fuel, noFuel := meter.Int64Histogram("wasmtool.call.fuel", metric.WithUnit("{unit}"),
		metric.WithDescription("What guests used, in the units of limits.fuel."),
		metric.WithExplicitBucketBoundaries(1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10))
	active, noActive := meter.Int64UpDownCounter("wasmtool.calls.active", metric.WithUnit("{call}"),
		metric.WithDescription("Calls that have begun and not ended."))
	if err := errors.Join(noDuration, noFuel, noActive); err != nil {
		return nil, fmt.Errorf("the figures cannot be kept: %w", err)
	}
	return &Observer{tracer: o.Tracer.Tracer(scope), duration: duration, fuel: fuel, active: active}, nil
}

// Begin begins the span of a call. The name of the tool comes when it is known to be one.
func (o *Observer) Begin(ctx context.Context, _ tool.Call) (context.Context, func(tool.Receipt)) {
	spanned, span := o.tracer.Start(ctx, executeTool, trace.WithSpanKind(trace.SpanKindInternal),
		trace.WithAttributes(attribute.String(keyOperation, executeTool), attribute.String(keyToolType, "function")))
	o.active.Add(ctx, 1)
	return spanned, func(r tool.Receipt) {
		o.active.Add(ctx, -1)
		o.count(spanned, r)
		end(span, r)
	}
}

// count keeps the figures of a call. Their attributes have few values: no ids, no tenants.
func (o *Observer) count(ctx context.Context, r tool.Receipt) {
	attributes := []attribute.KeyValue{attribute.String(keyToolName, toolName(r))}
	if r.Code != "" {
		attributes = append(attributes, attribute.String(keyErrorType, string(r.Code)))
	}
	if r.Decision != "" {
		attributes = append(attributes, attribute.String(keyDecision, r.Decision))
	}
	set := metric.WithAttributeSet(attribute.NewSet(attributes...))
	o.duration.Record(ctx, r.Duration.Seconds(), set)
	if r.Fuel > 0 {
		o.fuel.Record(ctx, int64(min(r.Fuel, 1<<62)), set)
	}
}

func toolName(r tool.Receipt) string {
	if r.Resolved {
		return r.Tool
	}
	return unknownTool
}

// end tells a span what the host knows of the call, and ends it.
func end(span trace.Span, r tool.Receipt) {
	defer span.End()
	if !span.IsRecording() {
		return
	}
	span.SetName(executeTool + " " + toolName(r))
	attributes := []attribute.KeyValue{attribute.String(keyToolName, toolName(r))}
	for key, value := range map[string]string{
		keyConversation: r.Session, keyTenant: r.Tenant, keyVersion: r.Version, keyDecision: r.Decision, keyRule: r.Rule,
		keyErrorType: string(r.Code), keyCallID: r.ID,
	} {
		if value != "" && utf8.ValidString(value) && len(value) <= maxValue {
			attributes = append(attributes, attribute.String(key, value))
		}
	}
	if r.Approved {
		attributes = append(attributes, attribute.Bool(keyApproved, true))
	}
	for key, value := range map[string]uint64{keyFuel: r.Fuel, keyMemory: r.Memory, keyAttempts: uint64(max(r.Attempts, 0))} {
		if value > 0 {
			attributes = append(attributes, attribute.Int64(key, int64(min(value, 1<<62))))
		}
	}
	if r.Waited > 0 {
		attributes = append(attributes, attribute.Float64(keyWaited, r.Waited.Seconds()))
	}
	span.SetAttributes(attributes...)
	if r.Code != "" {
		span.SetStatus(codes.Error, string(r.Code))
	}
}
