package otlp

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/registry/internal/callspan"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// spanContext identifies a span by IDs in hexadecimal. The zero value means that there is no span.
type spanContext struct {
	trace, span string
	sampled     bool // the caller that began the trace records it
}

var traceparent = lazyregexp.New(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]([0-9a-f])(-.*)?$`)

// parseTraceparent reads a header of W3C Trace Context, such as "00-TRACE-SPAN-01". It returns
// false for any other text, which may come from any client.
func parseTraceparent(text string) (c spanContext, ok bool) {
	m := traceparent.Regexp().FindStringSubmatch(text)
	if m == nil || m[1] == "ff" || m[1] == "00" && m[5] != "" || strings.Trim(m[2], "0") == "" || strings.Trim(m[3], "0") == "" {
		return spanContext{}, false
	}
	return spanContext{trace: m[2], span: m[3], sampled: strings.Contains("13579bdf", m[4])}, true
}

// newID returns a random ID of n bytes, in hexadecimal.
func newID(n int) string {
	id := make([]byte, n)
	_, _ = rand.Read(id) // it never fails
	return hex.EncodeToString(id)
}

// object is an object of the JSON encoding of OTLP: IDs are hexadecimal, and 64-bit integers are
// strings.
type object map[string]any

// Values of enumerations of OTLP.
const (
	kindInternal = 1
	statusError  = 2
)

func attributeOf(key string, value any) object {
	kind := "stringValue"
	switch v := value.(type) {
	case bool:
		kind = "boolValue"
	case int64:
		kind, value = "intValue", strconv.FormatInt(v, 10)
	case float64:
		kind = "doubleValue"
	}
	return object{"key": key, "value": object{kind: value}}
}

// spanOf returns the span of a call that has ended.
func spanOf(own, parent spanContext, r tool.Receipt) object {
	nanos := func(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
	var attributes []object
	for _, a := range callspan.Attributes(r) {
		attributes = append(attributes, attributeOf(a.Key, a.Value))
	}
	s := object{
		"traceId": own.trace, "spanId": own.span, "name": callspan.Name(r), "kind": kindInternal, "attributes": attributes,
		"startTimeUnixNano": nanos(r.Started), "endTimeUnixNano": nanos(r.Started.Add(r.Duration)),
	}
	if parent.span != "" {
		s["parentSpanId"] = parent.span
	}
	if r.Code != "" {
		s["status"] = object{"code": statusError, "message": string(r.Code)}
	}
	return s
}

// requestOf returns an ExportTraceServiceRequest.
func requestOf(resource []object, spans []json.RawMessage) object {
	return object{"resourceSpans": []object{{
		"resource":   object{"attributes": resource},
		"scopeSpans": []object{{"scope": object{"name": callspan.Scope}, "spans": spans}},
	}}}
}
