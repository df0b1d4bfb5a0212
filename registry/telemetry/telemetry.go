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
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// scope is the instrumentation scope of spans and metrics.
const scope = "github.com/wasmtool/wasmtool/registry"

// Attribute keys.
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
	keyApprovedBy   = "wasmtool.approved_by"
	keyTenant       = "wasmtool.tenant"
	keyVersion      = "wasmtool.tool.version"
	keyFuel         = "wasmtool.fuel"
	keyMemory       = "wasmtool.memory"
	keyAttempts     = "wasmtool.attempts"
	keyWaited       = "wasmtool.waited" // in seconds
)

const executeTool = "execute_tool"

// maxValue limits the value of an attribute, in bytes. Only calls that the registry refuses have
// longer names and IDs.
const maxValue = 512

// unknownTool is recorded instead of the name of an unknown tool. Otherwise callers could add time
// series by making up names.
const unknownTool = "(unknown)"

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
	meter := o.Meter.Meter(scope)
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
	return &Observer{tracer: o.Tracer.Tracer(scope), duration: duration, fuel: fuel, active: active}, nil
}

// Begin starts the span of a call. The span gets the name of the tool only when it ends, because
// only then is it known that the tool exists.
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

// count records the metrics of a call. Their attributes must have few values, so there are no IDs
// and no tenants.
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

// end sets the attributes of a span and ends it.
func end(span trace.Span, r tool.Receipt) {
	defer span.End()
	if !span.IsRecording() {
		return
	}
	span.SetName(executeTool + " " + toolName(r))
	attributes := []attribute.KeyValue{attribute.String(keyToolName, toolName(r))}
	for key, value := range map[string]string{
		keyConversation: r.Session, keyTenant: r.Tenant, keyVersion: r.Version, keyDecision: r.Decision, keyRule: r.Rule, keyApprovedBy: r.ApprovedBy,
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
