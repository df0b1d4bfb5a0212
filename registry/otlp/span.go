package otlp

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/registry/internal/callspan"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// spanContext identifies a span. The zero value means that there is no span.
type spanContext struct {
	trace   [16]byte
	span    [8]byte
	sampled bool // the caller that began the trace records it
}

// parseTraceparent reads a header of W3C Trace Context, such as "00-TRACE-SPAN-01". It returns
// false for any other text, which may come from any client.
func parseTraceparent(text string) (c spanContext, ok bool) {
	const length = 55
	if len(text) < length || len(text) > length && (text[:2] == "00" || text[length] != '-') {
		return spanContext{}, false
	}
	text = text[:length]
	parts := strings.Split(text, "-")
	if len(parts) != 4 || len(parts[0]) != 2 || len(parts[1]) != 32 || len(parts[2]) != 16 || parts[0] == "ff" || strings.ToLower(text) != text {
		return spanContext{}, false
	}
	digits, err := hex.DecodeString(strings.Join(parts, ""))
	if err != nil {
		return spanContext{}, false
	}
	copy(c.trace[:], digits[1:])
	copy(c.span[:], digits[17:])
	c.sampled = digits[25]&1 != 0
	return c, c.trace != [16]byte{} && c.span != [8]byte{}
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
		"traceId": hex.EncodeToString(own.trace[:]), "spanId": hex.EncodeToString(own.span[:]),
		"name": callspan.Name(r), "kind": kindInternal, "attributes": attributes,
		"startTimeUnixNano": nanos(r.Started), "endTimeUnixNano": nanos(r.Started.Add(r.Duration)),
	}
	if parent.span != [8]byte{} {
		s["parentSpanId"] = hex.EncodeToString(parent.span[:])
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
