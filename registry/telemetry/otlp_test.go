package telemetry_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/wasmtool/wasmtool/registry/otlp"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// What package otlp writes by hand has the form of the published schema. An unknown field or a
// wrong type is an error here. protojson reads IDs as base64, so package otlp tests the IDs.
func TestSpansOfPackageOTLPFollowTheSchema(t *testing.T) {
	bodies := make(chan []byte, 1)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		bodies <- body
	}))
	defer collector.Close()
	exporter, err := otlp.New(otlp.Options{URL: collector.URL + "/v1/traces"})
	if err != nil {
		t.Fatal(err)
	}
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	_, end := exporter.Begin(otlp.ContinueTrace(t.Context(), parent), tool.Call{})
	end(tool.Receipt{
		CallRef: tool.CallRef{ID: "c", Tool: "echo", Tenant: "t", Session: "s"}, Resolved: true, Started: time.Now(), Duration: 5, Waited: 1500e6,
		Fuel: 1 << 63, Attempts: 2, Approved: true, ApprovedBy: tool.ApprovedByApprover, Code: tool.CodeTimeout,
	})
	exporter.Close(t.Context())
	body := <-bodies
	var data trace.TracesData
	if err := protojson.Unmarshal(body, &data); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	span := data.ResourceSpans[0].ScopeSpans[0].Spans[0]
	if span.Name != "execute_tool echo" || span.Kind != trace.Span_SPAN_KIND_INTERNAL || span.EndTimeUnixNano-span.StartTimeUnixNano != 5 ||
		span.Status.Code != trace.Status_STATUS_CODE_ERROR || span.Status.Message != "timeout" {
		t.Errorf("the span is %v", span)
	}
	values := make(map[string]any)
	for _, a := range span.Attributes {
		switch {
		case a.Value.GetStringValue() != "":
			values[a.Key] = a.Value.GetStringValue()
		case a.Value.GetIntValue() != 0:
			values[a.Key] = a.Value.GetIntValue()
		case a.Value.GetDoubleValue() != 0:
			values[a.Key] = a.Value.GetDoubleValue()
		default:
			values[a.Key] = a.Value.GetBoolValue()
		}
	}
	for key, want := range map[string]any{
		"gen_ai.tool.name": "echo", "wasmtool.fuel": int64(1 << 62), "wasmtool.waited": 1.5, "wasmtool.approved": true, "error.type": "timeout",
	} {
		if values[key] != want {
			t.Errorf("%s is %v, want %v", key, values[key], want)
		}
	}
}
