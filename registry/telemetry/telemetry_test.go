package telemetry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/telemetry"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// recorder stores spans and metrics, in place of an exporter.
type recorder struct {
	tracenoop.TracerProvider
	mu    sync.Mutex
	lines []string
}

func (r *recorder) write(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *recorder) Tracer(string, ...trace.TracerOption) trace.Tracer { return tracer{r: r} }

type tracer struct {
	tracenoop.Tracer
	r *recorder
}

func (t tracer) Start(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	s := &span{r: t.r, name: name, attributes: make(map[string]string)}
	c := trace.NewSpanStartConfig(o...)
	s.SetAttributes(c.Attributes()...)
	return trace.ContextWithSpan(ctx, s), s
}

type span struct {
	tracenoop.Span
	r          *recorder
	name       string
	attributes map[string]string
	status     string
}

func (s *span) IsRecording() bool                  { return true }
func (s *span) SetName(name string)                { s.name = name }
func (s *span) SetStatus(_ codes.Code, why string) { s.status = why }
func (s *span) SetAttributes(kv ...attribute.KeyValue) {
	for _, one := range kv {
		s.attributes[string(one.Key)] = one.Value.String()
	}
}

func (s *span) End(...trace.SpanEndOption) {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(s.attributes)) {
		fmt.Fprintf(&b, " %s=%s", key, s.attributes[key])
	}
	s.r.write("span %s%s status=%s", s.name, b.String(), s.status)
}

// meters is a MeterProvider that records metrics.
type meters struct {
	metricnoop.MeterProvider
	r *recorder
}

func (m meters) Meter(string, ...metric.MeterOption) metric.Meter { return meter{r: m.r} }

type meter struct {
	metricnoop.Meter
	r *recorder
}

func (m meter) Float64Histogram(name string, _ ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	return histogram{name: name, r: m.r}, nil
}

func (m meter) Int64UpDownCounter(name string, _ ...metric.Int64UpDownCounterOption) (metric.Int64UpDownCounter, error) {
	return counter{name: name, r: m.r}, nil
}

type histogram struct {
	metricnoop.Float64Histogram
	name string
	r    *recorder
}

func (h histogram) Record(_ context.Context, _ float64, o ...metric.RecordOption) {
	set := metric.NewRecordConfig(o).Attributes()
	h.r.write("%s %s", h.name, set.Encoded(attribute.DefaultEncoder()))
}

type counter struct {
	metricnoop.Int64UpDownCounter
	name string
	r    *recorder
}

func (c counter) Add(_ context.Context, n int64, _ ...metric.AddOption) {
	c.r.write("%s %+d", c.name, n)
}

// The span of a call that needed an approval says how the call got it.
func TestSpanSaysHowACallWasApproved(t *testing.T) {
	r := &recorder{}
	observer, err := telemetry.New(telemetry.Options{Tracer: r})
	if err != nil {
		t.Fatal(err)
	}
	for by, want := range map[string]string{tool.ApprovedByAgent: "wasmtool.approved=true wasmtool.approved_by=agent", "": ""} {
		r.lines = nil
		_, end := observer.Begin(context.Background(), tool.Call{Tool: "echo"})
		end(tool.Receipt{Approved: by != "", ApprovedBy: by})
		if got := strings.Join(r.lines, "\n"); !strings.Contains(got, want) || by == "" && strings.Contains(got, "approved") {
			t.Errorf("got %s, want %q", got, want)
		}
	}
}

func TestCallsAreTracedAndCounted(t *testing.T) {
	r := &recorder{}
	observer, err := telemetry.New(telemetry.Options{Tracer: r, Meter: meters{r: r}})
	if err != nil {
		t.Fatal(err)
	}
	inSpan := false
	spec, executor, err := native.Text("echo", "Echoes.", func(ctx context.Context, text string) (string, error) {
		_, inSpan = trace.SpanFromContext(ctx).(*span)
		if text == "fail" {
			return "", errors.New("private words")
		}
		return text, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	tools := registry.New(registry.Options{Calls: ledger.Options{Observer: observer}})
	defer tools.Close()
	if err := tools.Tools().Register(spec, executor); err != nil {
		t.Fatal(err)
	}
	first := tool.Call{ID: "c1", Tenant: "t", Session: "s", Tool: "echo", Arguments: json.RawMessage(`{"text":"private"}`)}
	if _, err := tools.Execute(context.Background(), first); err != nil || !inSpan {
		t.Fatal(err, inSpan)
	}
	_, _ = tools.Execute(context.Background(), tool.Call{ID: "c2", Tool: "ECHO", Arguments: json.RawMessage(`{"text":"fail"}`)})
	_, _ = tools.Execute(context.Background(), tool.Call{ID: "c3", Tool: "private name"})
	// The call ID is not valid UTF-8. It is recorded as U+FFFD.
	_, _ = tools.Execute(context.Background(), tool.Call{ID: "\xff", Tool: "private name"})

	want := []string{
		"wasmtool.calls.active +1",
		"wasmtool.calls.active -1",
		"gen_ai.execute_tool.duration gen_ai.tool.name=echo,wasmtool.decision=allow",
		"span execute_tool echo gen_ai.conversation.id=s gen_ai.operation.name=execute_tool gen_ai.tool.call.id=c1 gen_ai.tool.name=echo gen_ai.tool.type=function" +
			" wasmtool.attempts=1 wasmtool.decision=allow wasmtool.rule=default wasmtool.tenant=t status=",
		"wasmtool.calls.active +1",
		"wasmtool.calls.active -1",
		"gen_ai.execute_tool.duration error.type=execution,gen_ai.tool.name=echo,wasmtool.decision=allow",
		"span execute_tool echo error.type=execution gen_ai.operation.name=execute_tool gen_ai.tool.call.id=c2 gen_ai.tool.name=echo gen_ai.tool.type=function" +
			" wasmtool.attempts=1 wasmtool.decision=allow wasmtool.rule=default status=execution",
		"wasmtool.calls.active +1",
		"wasmtool.calls.active -1",
		"gen_ai.execute_tool.duration error.type=not_found,gen_ai.tool.name=(unknown)",
		"span execute_tool (unknown) error.type=not_found gen_ai.operation.name=execute_tool gen_ai.tool.call.id=c3 gen_ai.tool.name=(unknown) gen_ai.tool.type=function status=not_found",
		"wasmtool.calls.active +1",
		"wasmtool.calls.active -1",
		"gen_ai.execute_tool.duration error.type=invalid_argument,gen_ai.tool.name=(unknown)",
		"span execute_tool (unknown) error.type=invalid_argument gen_ai.operation.name=execute_tool gen_ai.tool.call.id=\uFFFD gen_ai.tool.name=(unknown) gen_ai.tool.type=function status=invalid_argument",
	}
	if got := strings.Join(r.lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// breaking is an Observer that panics.
type breaking struct{ atBegin bool }

func (b breaking) Begin(ctx context.Context, _ tool.Call) (context.Context, func(tool.Receipt)) {
	if b.atBegin {
		panic("at the beginning")
	}
	return ctx, func(tool.Receipt) { panic("at the end") }
}

func TestPanicOfObserverDoesNotFailCall(t *testing.T) {
	for _, atBegin := range []bool{true, false} {
		receipts := 0
		tools := registry.New(registry.Options{Calls: ledger.Options{Observer: breaking{atBegin}, OnReceipt: func(tool.Receipt) { receipts++ }}})
		spec, executor, err := native.Text("echo", "Echoes.", func(_ context.Context, text string) (string, error) { return text, nil })
		if err := errors.Join(err, tools.Tools().Register(spec, executor)); err != nil {
			t.Fatal(err)
		}
		result, err := tools.Execute(context.Background(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"a"}`)})
		if err != nil || result.Text() != "a" || receipts != 1 {
			t.Errorf("at its beginning %v: got %q, %v, %d receipts", atBegin, result.Text(), err, receipts)
		}
		if err := tools.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkExecute(b *testing.B) {
	silent, err := telemetry.New(telemetry.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for name, o := range map[string]registry.Options{"off": {}, "without providers": {Calls: ledger.Options{Observer: silent}}} {
		b.Run(name, func(b *testing.B) {
			tools := registry.New(o)
			defer tools.Close()
			spec, executor, err := native.Text("echo", "Echoes.", func(_ context.Context, text string) (string, error) { return text, nil })
			if err := errors.Join(err, tools.Tools().Register(spec, executor)); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tools.Execute(context.Background(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"a"}`)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A span has an attribute for the time that its call waited, in seconds. If the call did not wait,
// the span does not have the attribute.
func TestSpanHasWaitingTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		observer, err := telemetry.New(telemetry.Options{Tracer: r})
		if err != nil {
			t.Fatal(err)
		}
		spec, executor, err := native.Text("echo", "Echoes.", func(context.Context, string) (string, error) {
			time.Sleep(1500 * time.Millisecond)
			return "", nil
		})
		if err != nil {
			t.Fatal(err)
		}
		tools := registry.New(registry.Options{Calls: ledger.Options{Observer: observer}, Schedule: schedule.Options{MaxCalls: 1}})
		defer tools.Close()
		if err := tools.Tools().Register(spec, executor); err != nil {
			t.Fatal(err)
		}
		call := tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":""}`)}
		first := tools.Start(t.Context(), call)
		synctest.Wait()
		if _, err := tools.Execute(t.Context(), call); err != nil {
			t.Error(err)
		}
		if _, err := first.Result(t.Context()); err != nil {
			t.Error(err)
		}
		spans := strings.Join(r.lines, "\n")
		if len(r.lines) != 2 || strings.Count(spans, "wasmtool.waited=") != 1 || !strings.Contains(r.lines[1], "wasmtool.waited=1.5 ") {
			t.Errorf("got\n%s", spans)
		}
	})
}
