package otlp

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// DefaultServiceName is the service.name of a resource without one.
const DefaultServiceName = "wasmtool"

// Options says where spans are sent. URL is required.
type Options struct {
	// URL is the collector's address for traces, such as "http://localhost:4318/v1/traces".
	URL string
	// Header is sent with each request. Its values may be secret.
	Header http.Header
	// Resource has the attributes of the resource, such as "service.name"; nil means the default.
	Resource map[string]string
	// HTTP makes the connections. Its limits have no effect.
	HTTP egress.Transport
	// Logger receives a warning when spans cannot be sent; nil discards it.
	Logger *slog.Logger
	// OnSpans is called, possibly concurrently, with the spans that were sent or dropped; nil means
	// none.
	OnSpans func(sent, dropped int)
}

// FromEnvironment returns the options in the variables OTEL_* of the OpenTelemetry specification.
// base replaces OTEL_EXPORTER_OTLP_ENDPOINT unless it is empty. The URL is empty if the variables
// name no collector or turn traces off. An error names the variable, not its value.
func FromEnvironment(lookup func(name string) (string, bool), base string) (Options, error) {
	env := func(name string) string {
		value, _ := lookup("OTEL_" + name)
		return strings.TrimSpace(value)
	}
	// own returns the variable for traces, or else the variable for all signals.
	own := func(name string) string { return cmp.Or(env("EXPORTER_OTLP_TRACES_"+name), env("EXPORTER_OTLP_"+name)) }
	var o Options
	switch {
	case base != "" || env("EXPORTER_OTLP_TRACES_ENDPOINT") == "":
		if base = cmp.Or(base, env("EXPORTER_OTLP_ENDPOINT")); base != "" {
			o.URL = strings.TrimSuffix(base, "/") + "/v1/traces"
		}
	default:
		o.URL = env("EXPORTER_OTLP_TRACES_ENDPOINT")
	}
	if o.URL == "" || strings.EqualFold(env("SDK_DISABLED"), "true") || env("TRACES_EXPORTER") == "none" {
		return Options{}, nil
	}
	if own("PROTOCOL") == "grpc" {
		return Options{}, errors.New("OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and only http/json is supported")
	}
	headers, err := parsePairs(own("HEADERS"))
	if err != nil {
		return Options{}, fmt.Errorf("OTEL_EXPORTER_OTLP_HEADERS: %w", err)
	}
	o.Header = make(http.Header)
	for name, value := range headers {
		o.Header.Set(name, value)
	}
	if o.Resource, err = parsePairs(env("RESOURCE_ATTRIBUTES")); err != nil {
		return Options{}, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	if name := env("SERVICE_NAME"); name != "" {
		o.Resource["service.name"] = name
	}
	return o, nil
}

// parsePairs reads "name=value,name=value", whose values are percent-encoded.
func parsePairs(text string) (map[string]string, error) {
	pairs := make(map[string]string)
	for pair := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(pair, "=")
		if name = strings.TrimSpace(name); name == "" && !ok {
			continue
		}
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if err != nil || !ok || name == "" {
			return nil, errors.New("write NAME=VALUE,NAME=VALUE, with percent-encoded values")
		}
		pairs[name] = decoded
	}
	return pairs, nil
}
