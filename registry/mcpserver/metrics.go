package mcpserver

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	goruntime "runtime/metrics"
	"slices"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// Limits of the label values, because tools of MCP servers come and go, and users are many. Calls
// of further tools and tenants are counted as otherLabel.
const (
	maxToolLabels   = 1000
	maxTenantLabels = 200
	otherLabel      = "(other)"
)

// Metrics holds the counters of a Server that other parts of a program add to. It is safe for
// concurrent use. The zero value is not usable; see [NewMetrics].
type Metrics struct {
	key   [sha256.Size]byte // for tenantLabel
	began time.Time

	mu        sync.Mutex
	calls     map[callLabels]uint64
	tools     map[string]*durations // of calls, by tool
	tenants   map[string]uint64     // calls, by the label of the tenant
	refused   map[string]uint64     // HTTP requests, by reason
	approvals map[string]uint64     // questions, by answer
	compiled  durations
	failed    uint64 // compilations
}

type callLabels struct {
	tool string
	code tool.Code
}

// durations counts by duration; the last bucket has all longer ones.
type durations struct {
	buckets [len(latencies) + 1]uint64
	seconds float64
}

// latencies are the upper bounds of the buckets, in seconds.
var latencies = [...]float64{0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60}

func (d *durations) add(took time.Duration) {
	i, _ := slices.BinarySearch(latencies[:], took.Seconds())
	d.buckets[i]++
	d.seconds += took.Seconds()
}

// NewMetrics returns counters that are 0.
func NewMetrics() *Metrics {
	m := &Metrics{
		began: time.Now(), calls: make(map[callLabels]uint64), tools: make(map[string]*durations),
		tenants: make(map[string]uint64), refused: make(map[string]uint64), approvals: make(map[string]uint64),
	}
	_, _ = rand.Read(m.key[:]) // it never fails
	return m
}

// Compiled counts a compilation that took some time, or failed. Pass it to OnEnd of a
// runtime.CompileEvent.
func (m *Metrics) Compiled(took time.Duration, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.compiled.add(took)
	if err != nil {
		m.failed++
	}
}

// called counts a call in the metrics. Only calls of offered tools may be counted, so that a client
// cannot add labels.
func (m *Metrics) called(tenant, name string, code tool.Code, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.tools[name]; !known && len(m.tools) >= maxToolLabels {
		name = otherLabel
	}
	if m.tools[name] == nil {
		m.tools[name] = new(durations)
	}
	m.tools[name].add(took)
	m.calls[callLabels{name, code}]++
	label := m.tenantLabel(tenant)
	if _, known := m.tenants[label]; !known && len(m.tenants) >= maxTenantLabels {
		label = otherLabel
	}
	m.tenants[label]++
}

// tenantLabel returns a label for a tenant that does not tell its name, because monitoring must not
// collect personal data. The label changes when the server is restarted.
func (m *Metrics) tenantLabel(tenant string) string {
	if tenant == "" {
		return ""
	}
	mac := hmac.New(sha256.New, m.key[:])
	mac.Write([]byte(tenant))
	return hex.EncodeToString(mac.Sum(nil)[:6])
}

func (m *Metrics) refuse(reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused[reason]++
}

// asked counts a question to a user and its answer: yes, no, or none if the user gave no answer.
func (m *Metrics) asked(yes bool, err error) {
	answer := "no"
	switch {
	case err != nil:
		answer = "none"
	case yes:
		answer = "yes"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.approvals[answer]++
}

// write prints the counters in the text format of Prometheus.
func (m *Metrics) write(w *bytes.Buffer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	head(w, "wasmtool_calls_total", "counter", "Ended calls, by tool and error code (empty for success).")
	byName := func(a, b callLabels) int { return cmp.Or(cmp.Compare(a.tool, b.tool), cmp.Compare(a.code, b.code)) }
	for _, l := range slices.SortedFunc(maps.Keys(m.calls), byName) {
		fmt.Fprintf(w, "wasmtool_calls_total{tool=%q,code=%q} %d\n", l.tool, l.code, m.calls[l])
	}
	head(w, "wasmtool_call_seconds", "histogram", "Duration of calls, from request to response, by tool.")
	for _, name := range slices.Sorted(maps.Keys(m.tools)) {
		m.tools[name].write(w, "wasmtool_call_seconds", fmt.Sprintf("tool=%q", name))
	}
	byLabel(w, "wasmtool_tenant_calls_total", "tenant", "Ended calls, by a pseudonym of the tenant.", m.tenants)
	byLabel(w, "wasmtool_approvals_total", "answer", "Questions to users about calls, by answer (yes, no, none).", m.approvals)
	head(w, "wasmtool_compile_seconds", "histogram", "Duration of compilations of modules.")
	m.compiled.write(w, "wasmtool_compile_seconds", "")
	number(w, "wasmtool_compile_failures_total", "counter", "Compilations that failed.", m.failed)
	byLabel(w, "wasmtool_http_refused_total", "reason", "Refused HTTP requests, by reason.", m.refused)
	number(w, "process_start_time_seconds", "gauge", "When the server was started, in seconds since 1970.", m.began.Unix())
}

// write prints a histogram. label is a label with its value, or "".
func (d *durations) write(w *bytes.Buffer, name, label string) {
	labels, before := "", ""
	if label != "" {
		labels, before = "{"+label+"}", label+","
	}
	sum := uint64(0)
	for i, bound := range latencies {
		sum += d.buckets[i]
		fmt.Fprintf(w, "%s_bucket{%sle=\"%g\"} %d\n", name, before, bound, sum)
	}
	sum += d.buckets[len(latencies)]
	fmt.Fprintf(w, "%s_bucket{%sle=\"+Inf\"} %d\n%[1]s_sum%[4]s %[5]g\n%[1]s_count%[4]s %[3]d\n", name, before, sum, labels, d.seconds)
}

func byLabel(w *bytes.Buffer, name, label, help string, values map[string]uint64) {
	head(w, name, "counter", help)
	for _, value := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(w, "%s{%s=%q} %d\n", name, label, value, values[value])
	}
}

// writeProcess prints what the Go runtime measures.
func writeProcess(w *bytes.Buffer) {
	for _, m := range []struct{ source, name, kind, help string }{
		{"/sched/goroutines:goroutines", "go_goroutines", "gauge", "Goroutines."},
		{"/memory/classes/heap/objects:bytes", "go_memstats_heap_alloc_bytes", "gauge", "Bytes of objects in the heap of Go."},
		{"/memory/classes/total:bytes", "go_memstats_sys_bytes", "gauge", "Bytes that Go got from the system; memory of guests is not included."},
		{"/gc/cycles/total:gc-cycles", "go_gc_cycles_total", "counter", "Completed garbage collections."},
	} {
		sample := []goruntime.Sample{{Name: m.source}}
		if goruntime.Read(sample); sample[0].Value.Kind() == goruntime.KindUint64 {
			number(w, m.name, m.kind, m.help, sample[0].Value.Uint64())
		}
	}
}

func number[N int | int64 | uint64](w *bytes.Buffer, name, kind, help string, value N) {
	head(w, name, kind, help)
	fmt.Fprintf(w, "%s %d\n", name, value)
}

func head(w *bytes.Buffer, name, kind, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}
