// Package otlp sends a span for each call of a registry to a collector of traces, over OTLP/HTTP in
// JSON. It is for programs without the SDK of OpenTelemetry; package telemetry is for programs with
// it, and records the same spans.
package otlp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/endpoint"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A request is sent when maxBatch spans wait, and otherwise every interval. If more than maxQueue
// others wait, they are dropped.
const (
	maxBatch = 512
	maxQueue = 2048
	interval = 5 * time.Second
)

// Limits of a request.
const (
	maxRequest  = 16 << 20 // bytes
	maxResponse = 64 << 10 // bytes
	maxTime     = 10 * time.Second
)

// Exporter sends the spans of calls in the background. It implements Observer of ledger.Options,
// and is safe for concurrent use. [New] creates it.
type Exporter struct {
	o        Options
	log      *slog.Logger
	endpoint endpoint.Endpoint
	resource []object

	queue chan json.RawMessage // spans

	ctx     context.Context // of requests
	cancel  context.CancelFunc
	closing context.Context // done when the Exporter is being closed
	close   context.CancelFunc
	ended   chan struct{} // closed after the last request
	failed  bool          // the last request failed
}

// New returns an Exporter. It makes no request. The caller must close it.
func New(o Options) (*Exporter, error) {
	u, err := endpoint.ParseURL(o.URL)
	if err != nil {
		return nil, fmt.Errorf("the URL of the collector %w", err)
	}
	e := &Exporter{
		o: o, log: cmp.Or(o.Logger, slog.New(slog.DiscardHandler)),
		// The operator named the collector, which often has a private address.
		endpoint: endpoint.Endpoint{URL: u, Private: true, Rule: "traces", HTTP: o.HTTP},
		queue:    make(chan json.RawMessage, maxQueue), ended: make(chan struct{}),
	}
	e.o.Header = http.Header{"Content-Type": {"application/json"}}
	maps.Copy(e.o.Header, o.Header)
	resource := map[string]string{"service.name": DefaultServiceName}
	maps.Copy(resource, o.Resource)
	for _, key := range slices.Sorted(maps.Keys(resource)) {
		e.resource = append(e.resource, attributeOf(key, resource[key]))
	}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.closing, e.close = context.WithCancel(context.Background())
	go e.run()
	return e, nil
}

type contextKey struct{}

// ContinueTrace returns a context in which calls continue the trace of a caller. traceparent is the
// header of W3C Trace Context; an invalid one has no effect. If the caller does not record the
// trace, the calls are not recorded either.
func ContinueTrace(ctx context.Context, traceparent string) context.Context {
	if parent, ok := parseTraceparent(traceparent); ok {
		return context.WithValue(ctx, contextKey{}, parent)
	}
	return ctx
}

// Begin implements Observer of ledger.Options. Calls that the call makes are children of its span.
func (e *Exporter) Begin(ctx context.Context, _ tool.Call) (context.Context, func(tool.Receipt)) {
	parent, _ := ctx.Value(contextKey{}).(spanContext)
	own := spanContext{trace: parent.trace, span: newID(8), sampled: parent.sampled}
	if parent.trace == "" {
		own.trace, own.sampled = newID(16), true
	}
	return context.WithValue(ctx, contextKey{}, own), func(r tool.Receipt) {
		if !own.sampled {
			return
		}
		text, _ := json.Marshal(spanOf(own, parent, r)) // strings and numbers can be encoded
		select {
		case e.queue <- text:
		default:
			e.count(0, 1)
		}
	}
}

func (e *Exporter) count(sent, dropped int) {
	if e.o.OnSpans != nil && sent+dropped > 0 {
		e.o.OnSpans(sent, dropped)
	}
}

// Close sends the queued spans until ctx is done, and drops the rest. Calls that end later are
// dropped.
func (e *Exporter) Close(ctx context.Context) {
	defer e.cancel()
	defer context.AfterFunc(ctx, e.cancel)()
	e.close()
	<-e.ended
}

// run sends a batch when it is full, and every interval. A batch that may succeed later is kept.
func (e *Exporter) run() {
	defer close(e.ended)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var batch []json.RawMessage
	for closing := false; !closing; {
		queue := e.queue
		if len(batch) == maxBatch {
			queue = nil // the batch was not sent
		}
		select {
		case span := <-queue:
			if batch = append(batch, span); len(batch) < maxBatch {
				continue
			}
		case <-tick.C:
		case <-e.closing.Done():
			closing = true
			continue
		}
		batch = e.send(batch)
	}
	for more := true; more; more = len(batch) == 0 && len(e.queue) > 0 {
		for len(e.queue) > 0 && len(batch) < maxBatch {
			batch = append(batch, <-e.queue)
		}
		batch = e.send(batch)
	}
	e.count(0, len(batch)+len(e.queue))
}

// send sends a batch. It returns what may be sent later: the batch or nothing.
func (e *Exporter) send(batch []json.RawMessage) []json.RawMessage {
	if len(batch) == 0 {
		return nil
	}
	later, err := e.post(batch)
	e.report(err)
	switch {
	case later:
		return batch
	case err != nil:
		e.count(0, len(batch))
	default:
		e.count(len(batch), 0)
	}
	return nil
}

// report logs the first of several failures, and the success after them.
func (e *Exporter) report(err error) {
	switch {
	case err != nil && !e.failed:
		e.log.Warn("traces cannot be sent", "reason", err)
	case err == nil && e.failed:
		e.log.Info("traces are sent again")
	}
	e.failed = err != nil
}

// post makes one request. later means that the same request may succeed later.
func (e *Exporter) post(batch []json.RawMessage) (later bool, _ error) {
	body, err := json.Marshal(requestOf(e.resource, batch))
	if err != nil {
		return false, err
	}
	client := e.endpoint.Client(egress.Limits{RequestBytes: maxRequest, ResponseBytes: maxResponse, Time: maxTime})
	defer client.Close()
	res, err := client.Do(e.ctx, egress.Request{
		Method: http.MethodPost, URL: e.endpoint.URL.String(), Header: e.o.Header, Body: body, KeepRedirect: true,
	})
	if err != nil {
		return true, err
	}
	if res.Status == http.StatusOK {
		return false, nil
	}
	// The specification of OTLP lists these.
	later = slices.Contains([]int{429, 502, 503, 504}, res.Status)
	return later, fmt.Errorf("the collector answered with the status %d", res.Status)
}
