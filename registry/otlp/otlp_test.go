package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// collector is a collector of traces. It answers with the statuses, and then with 200.
type collector struct {
	url      string
	requests chan *http.Request
	bodies   chan []byte
}

func newCollector(t *testing.T, statuses ...int) *collector {
	t.Helper()
	c := &collector{requests: make(chan *http.Request, 10), bodies: make(chan []byte, 10)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.requests <- r
		c.bodies <- body
		if len(statuses) > 0 {
			w.WriteHeader(statuses[0])
			statuses = statuses[1:]
		}
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

func open(t *testing.T, o Options) *Exporter {
	t.Helper()
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(t.Context()) })
	return e
}

// record ends n calls.
func record(e *Exporter, n int) {
	for range n {
		_, end := e.Begin(context.Background(), tool.Call{})
		end(tool.Receipt{})
	}
}

// Package telemetry has the test that reads spans with the published schema of OTLP.
func TestCallsOfARegistryAreSentAsSpans(t *testing.T) {
	t.Parallel()
	there := newCollector(t)
	settings, err := FromEnvironment(func(name string) (string, bool) {
		value, ok := map[string]string{
			"OTEL_EXPORTER_OTLP_HEADERS": "X-Api-Key=to%20us", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=test",
		}[name]
		return value, ok
	}, there.url+"/")
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	settings.OnSpans = func(n, dropped int) { sent += n - 100*dropped }
	e := open(t, settings)
	tools := registry.New(registry.Options{Calls: ledger.Options{Observer: e}})
	defer tools.Close()
	spec, executor, err := native.DefineCall(native.Options{Spec: tool.Spec{Name: "outer", Description: "Calls inner."}},
		func(ctx context.Context, call tool.Call, in struct {
			Text string `json:"text"`
		},
		) (tool.Result, error) {
			// A call that a tool in Go makes itself is a child as well.
			_, err := tools.Execute(ctx, tool.Call{ID: "in", Tool: "inner", Arguments: json.RawMessage(`{"text":"private"}`)})
			if tool.CodeOf(err) != tool.CodeExecution {
				t.Errorf("inner: %v", err)
			}
			return tool.TextResult("private result", nil)
		})
	if err == nil {
		err = tools.Tools().Register(spec, executor)
	}
	inner, failing, noInner := native.Text("inner", "Fails.", func(context.Context, string) (string, error) { return "", errors.New("private words") })
	if err := errors.Join(err, noInner, tools.Tools().Register(inner, failing)); err != nil {
		t.Fatal(err)
	}
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	call := tool.Call{ID: "out", Tenant: "t", Session: "s", Tool: "outer", Arguments: json.RawMessage(`{"text":"private"}`)}
	if _, err := tools.Execute(ContinueTrace(t.Context(), parent), call); err != nil {
		t.Fatal(err)
	}
	// The caller does not record this trace.
	if _, err := tools.Execute(ContinueTrace(t.Context(), parent[:53]+"00"), call); err != nil {
		t.Fatal(err)
	}
	if _, err := tools.Execute(t.Context(), tool.Call{ID: "lost", Tool: "private name"}); err == nil {
		t.Fatal("there is such a tool")
	}
	e.Close(t.Context())
	if sent != 3 {
		t.Errorf("%d spans were counted", sent)
	}
	request, body := <-there.requests, <-there.bodies
	if request.URL.Path != "/v1/traces" || request.Method != "POST" || request.Header.Get("Content-Type") != "application/json" || request.Header.Get("X-Api-Key") != "to us" {
		t.Errorf("the request is %s %s with %v", request.Method, request.URL, request.Header)
	}
	if bytes.Contains(body, []byte("private")) {
		t.Errorf("the spans have content: %s", body)
	}
	var data struct {
		ResourceSpans []struct {
			Resource   struct{ Attributes []readAttribute }
			ScopeSpans []struct {
				Spans []struct {
					TraceID, SpanID, ParentSpanID, Name string
					Status                              struct{ Code int }
					Attributes                          []readAttribute
					StartTimeUnixNano, EndTimeUnixNano  int64 `json:",string"`
				}
			}
		}
	}
	if err := json.Unmarshal(body, &data); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	var lines []string
	for _, a := range data.ResourceSpans[0].Resource.Attributes {
		lines = append(lines, a.String())
	}
	ids := map[string]string{"b7ad6b7169203331": "the client"} // names, by span ID
	spans := data.ResourceSpans[0].ScopeSpans[0].Spans
	for _, s := range spans {
		ids[s.SpanID] = s.Name
	}
	for _, s := range spans {
		line := fmt.Sprintf("%s in %s known=%t %d", s.Name, ids[s.ParentSpanID], s.TraceID == parent[3:35], s.Status.Code)
		for _, a := range s.Attributes {
			line += " " + a.String()
		}
		lines = append(lines, line)
		if s.StartTimeUnixNano == 0 || s.EndTimeUnixNano < s.StartTimeUnixNano || len(s.TraceID) != 32 || len(s.SpanID) != 16 {
			t.Errorf("the span is %+v", s)
		}
	}
	want := []string{
		"deployment.environment=test",
		"service.name=wasmtool",
		"execute_tool inner in execute_tool outer known=true 2 gen_ai.operation.name=execute_tool gen_ai.tool.type=function gen_ai.tool.name=inner" +
			" gen_ai.tool.call.id=in error.type=execution wasmtool.decision=allow wasmtool.rule=default wasmtool.attempts=1",
		"execute_tool outer in the client known=true 0 gen_ai.operation.name=execute_tool gen_ai.tool.type=function gen_ai.tool.name=outer" +
			" gen_ai.tool.call.id=out gen_ai.conversation.id=s wasmtool.decision=allow wasmtool.rule=default wasmtool.tenant=t wasmtool.attempts=1",
		"execute_tool (unknown) in  known=false 2 gen_ai.operation.name=execute_tool gen_ai.tool.type=function gen_ai.tool.name=(unknown)" +
			" gen_ai.tool.call.id=lost error.type=not_found",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

type readAttribute struct {
	Key   string
	Value struct{ StringValue, IntValue string }
}

func (a readAttribute) String() string { return a.Key + "=" + a.Value.StringValue + a.Value.IntValue }

func TestTraceparent(t *testing.T) {
	t.Parallel()
	const trace, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for text, want := range map[string]string{
		"00-" + trace + "-" + span + "-01":                    trace + span + "true",
		"00-" + trace + "-" + span + "-02":                    trace + span + "false",
		"cc-" + trace + "-" + span + "-03-more":               trace + span + "true",
		"cc-" + trace + "-" + span + "-03more":                "",
		"00-" + trace + "-" + span + "-01-more":               "",
		"ff-" + trace + "-" + span + "-01":                    "",
		"00-" + strings.ToUpper(trace) + "-" + span + "-01":   "",
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01":  "",
		"00-" + trace + "-" + strings.Repeat("0", 16) + "-01": "",
		"00-" + trace + "-" + span + "-0g":                    "",
		"00_" + trace + "_" + span + "_01":                    "",
		"0-" + trace + "0-" + span + "-01":                    "",
		"":                                                    "",
	} {
		c, ok := parseTraceparent(text)
		if got := c.trace + c.span + fmt.Sprint(c.sampled); ok != (want != "") || ok && got != want {
			t.Errorf("%q: got %s, %t", text, got, ok)
		}
	}
}

func FuzzTraceparent(f *testing.F) {
	f.Add("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	f.Add("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more")
	f.Fuzz(func(t *testing.T, text string) {
		if c, ok := parseTraceparent(text); ok && !strings.HasPrefix(text[2:], "-"+c.trace+"-"+c.span+"-") {
			t.Errorf("%q was read as %v", text, c)
		}
	})
}

func TestFromEnvironment(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env             string
		flag, url, fail string
	}{
		"nothing":           {},
		"all signals":       {env: "EXPORTER_OTLP_ENDPOINT=http://c:4318", url: "http://c:4318/v1/traces"},
		"with a path":       {env: "EXPORTER_OTLP_ENDPOINT=https://c.example/otlp/", url: "https://c.example/otlp/v1/traces"},
		"traces":            {env: "EXPORTER_OTLP_ENDPOINT=http://c:4318 EXPORTER_OTLP_TRACES_ENDPOINT=http://t/in", url: "http://t/in"},
		"flag":              {env: "EXPORTER_OTLP_TRACES_ENDPOINT=http://t/in", flag: "http://f:4318", url: "http://f:4318/v1/traces"},
		"off":               {env: "SDK_DISABLED=true EXPORTER_OTLP_ENDPOINT=http://c:4318"},
		"no exporter":       {env: "TRACES_EXPORTER=none EXPORTER_OTLP_ENDPOINT=http://c:4318"},
		"grpc":              {env: "EXPORTER_OTLP_PROTOCOL=grpc EXPORTER_OTLP_ENDPOINT=http://c:4317", fail: "OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and only http/json is supported"},
		"protobuf":          {env: "EXPORTER_OTLP_PROTOCOL=http/protobuf EXPORTER_OTLP_ENDPOINT=http://c:4318", url: "http://c:4318/v1/traces"},
		"bad headers":       {env: "EXPORTER_OTLP_HEADERS=sesame EXPORTER_OTLP_ENDPOINT=http://c:4318", fail: "OTEL_EXPORTER_OTLP_HEADERS: write NAME=VALUE,NAME=VALUE, with percent-encoded values"},
		"headers of traces": {env: "EXPORTER_OTLP_HEADERS=sesame EXPORTER_OTLP_TRACES_HEADERS=a=b EXPORTER_OTLP_ENDPOINT=http://c:4318", url: "http://c:4318/v1/traces"},
		"bad resource":      {env: "RESOURCE_ATTRIBUTES=a=%zz EXPORTER_OTLP_ENDPOINT=http://c:4318", fail: "OTEL_RESOURCE_ATTRIBUTES: write NAME=VALUE,NAME=VALUE, with percent-encoded values"},
	} {
		o, err := FromEnvironment(func(name string) (string, bool) {
			for pair := range strings.FieldsSeq(tc.env) {
				if value, ok := strings.CutPrefix(pair, strings.TrimPrefix(name, "OTEL_")+"="); ok {
					return value, true
				}
			}
			return "", false
		}, tc.flag)
		if fail := fmt.Sprint(err); o.URL != tc.url || (tc.fail != "") != (err != nil) || err != nil && fail != tc.fail {
			t.Errorf("%s: got %q, %v", name, o.URL, err)
		}
	}
}

func TestUnusableCollectorIsRefused(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{
		{}, {URL: "c:4318"}, {URL: "http://*.example/v1/traces"},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// A collector that is down costs a bounded queue. A batch that the collector may accept later is
// sent again, and one that it refuses is dropped.
func TestSpansWaitForCollectorOrAreDropped(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{503: "2000 0", 400: "1488 512"} {
		there := newCollector(t, status)
		var log bytes.Buffer
		sent, dropped := 0, 0
		e := open(t, Options{
			URL: there.url, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			OnSpans: func(s, d int) { sent, dropped = sent+s, dropped+d },
		})
		record(e, 2000)
		<-there.requests
		<-there.bodies
		e.Close(t.Context())
		if got := fmt.Sprint(sent, " ", dropped); got != want {
			t.Errorf("%d: got %s, want %s", status, got, want)
		}
		if strings.Count(log.String(), "traces cannot be sent") != 1 || strings.Count(log.String(), "sent again") != 1 {
			t.Errorf("%d: the log is %s", status, &log)
		}
	}
}

func TestQueueIsBoundedAndCloseDoesNotHang(t *testing.T) {
	t.Parallel()
	asked, done := make(chan struct{}, 10), make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-done
	}))
	defer silent.Close()
	defer close(done)
	counts := make(chan int, 10_000)
	e := open(t, Options{URL: silent.URL, OnSpans: func(sent, dropped int) { counts <- dropped - 10_000*sent }})
	record(e, maxBatch)
	<-asked
	record(e, 2*maxQueue)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e.Close(ctx)
	total := 0
	for range len(counts) {
		total += <-counts
	}
	if total != maxBatch+2*maxQueue {
		t.Errorf("%d spans were dropped", total)
	}
	record(e, 1) // has no effect
}
