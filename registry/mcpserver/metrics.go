package mcpserver

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	goruntime "runtime/metrics"
	"slices"
	"strconv"
	"strings"
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

// family is a metric. Its value is 0 until it is counted, if it has no labels.
type family struct {
	name, kind string
	labelled   bool
	help       string
}

// Kinds of metrics.
const (
	counter   = "counter"
	gauge     = "gauge"
	histogram = "histogram"
)

// families returns the metrics that are counted, in the order in which they are printed.
func families() []family {
	return []family{
		{"wasmtool_calls_total", counter, true, "Ended calls, by tool and error code (empty for success)."},
		{"wasmtool_call_seconds", histogram, true, "Duration of calls, from request to response, by tool."},
		{"wasmtool_tenant_calls_total", counter, true, "Ended calls, by a pseudonym of the tenant."},
		{"wasmtool_approvals_total", counter, true, "Questions to users about calls, by answer (yes, no, none)."},
		{"wasmtool_approval_seconds", histogram, false, "Time from a question to a user until its answer."},
		{"wasmtool_compile_seconds", histogram, false, "Duration of compilations of modules."},
		{"wasmtool_compile_failures_total", counter, false, "Compilations that failed."},
		{"wasmtool_compile_cache_hits_total", counter, false, "Modules that were loaded from the cache on disk."},
		{"wasmtool_mcp_server_up", gauge, true, "Whether the MCP server runs: 1 or 0."},
		{"wasmtool_mcp_server_starts_total", counter, true, "Starts of the MCP server; the first one included."},
		{"wasmtool_mcp_server_start_failures_total", counter, true, "Failed starts of the MCP server."},
		{"wasmtool_mcp_server_calls_total", counter, true, "Ended calls of tools of the MCP server, by error code (empty for success)."},
		{"wasmtool_mcp_server_call_seconds", histogram, true, "Duration of calls of tools of the MCP server."},
		{"wasmtool_spans_sent_total", counter, false, "Spans sent to the collector of traces."},
		{"wasmtool_spans_dropped_total", counter, false, "Spans that were not sent, because the collector was slow or refused them."},
		{"wasmtool_http_refused_total", counter, true, "Refused HTTP requests, by reason."},
	}
}

// Metrics holds the counters of a Server that other parts of a program add to. It is safe for
// concurrent use. The zero value is not usable; see [NewMetrics].
type Metrics struct {
	key   [sha256.Size]byte // for tenantLabel
	began time.Time

	mu     sync.Mutex
	series map[string]map[string]*series // by the name of the metric and its labels
}

// series is a value that counts, or a histogram. The last bucket has all longer durations.
type series struct {
	value   uint64
	buckets [len(latencies) + 1]uint64
	seconds float64
}

// latencies are the upper bounds of the buckets, in seconds.
var latencies = [...]float64{0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60}

// NewMetrics returns counters that are 0.
func NewMetrics() *Metrics {
	m := &Metrics{began: time.Now(), series: make(map[string]map[string]*series)}
	_, _ = rand.Read(m.key[:]) // it never fails
	for _, f := range families() {
		m.series[f.name] = make(map[string]*series)
		if !f.labelled {
			m.series[f.name][""] = new(series)
		}
	}
	return m
}

// of returns the series of a metric with the given labels and values. m.mu is held.
func (m *Metrics) of(name string, labels ...string) *series {
	var text []string
	for i := 0; i < len(labels); i += 2 {
		text = append(text, fmt.Sprintf("%s=%q", labels[i], labels[i+1]))
	}
	all, key := m.series[name], strings.Join(text, ",")
	if all[key] == nil {
		all[key] = new(series)
	}
	return all[key]
}

func (s *series) observe(took time.Duration) {
	i, _ := slices.BinarySearch(latencies[:], took.Seconds())
	s.buckets[i]++
	s.seconds += took.Seconds()
}

// Compiled counts a compilation that took some time, or failed. Pass it to OnEnd of a
// runtime.CompileEvent.
func (m *Metrics) Compiled(took time.Duration, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of("wasmtool_compile_seconds").observe(took)
	if err != nil {
		m.of("wasmtool_compile_failures_total").value++
	}
}

// CacheHit counts a module that was loaded from the cache on disk: a runtime.CompileEvent that is
// Cached.
func (m *Metrics) CacheHit() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of("wasmtool_compile_cache_hits_total").value++
}

// ServerChanged counts a start of an MCP server that wasmtool calls, or a failed start, and records
// whether the server is up. The name must be from the operator's file. With ServerCalled, it
// implements Monitor of package executor/mcp.
func (m *Metrics) ServerChanged(name string, up, failed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	state := m.of("wasmtool_mcp_server_up", "server", name)
	state.value = 0
	switch {
	case up:
		state.value = 1
		m.of("wasmtool_mcp_server_starts_total", "server", name).value++
	case failed:
		m.of("wasmtool_mcp_server_start_failures_total", "server", name).value++
	}
}

// ServerCalled counts a call of an MCP server that wasmtool calls.
func (m *Metrics) ServerCalled(name string, code tool.Code, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of("wasmtool_mcp_server_calls_total", "server", name, "code", string(code)).value++
	m.of("wasmtool_mcp_server_call_seconds", "server", name).observe(took)
}

// Spans counts spans that were sent to the collector of traces, and spans that were dropped.
func (m *Metrics) Spans(sent, dropped int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of("wasmtool_spans_sent_total").value += uint64(max(sent, 0))
	m.of("wasmtool_spans_dropped_total").value += uint64(max(dropped, 0))
}

// called counts a call in the metrics. Only calls of offered tools may be counted, so that a client
// cannot add labels.
func (m *Metrics) called(tenant, name string, code tool.Code, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name = m.bounded("wasmtool_call_seconds", "tool", name, maxToolLabels)
	m.of("wasmtool_calls_total", "tool", name, "code", string(code)).value++
	m.of("wasmtool_call_seconds", "tool", name).observe(took)
	label := m.bounded("wasmtool_tenant_calls_total", "tenant", m.tenantLabel(tenant), maxTenantLabels)
	m.of("wasmtool_tenant_calls_total", "tenant", label).value++
}

// bounded returns a value for the only label of a metric: otherLabel if the metric has most values
// and the value is not one of them.
func (m *Metrics) bounded(metric, label, value string, most int) string {
	if _, known := m.series[metric][fmt.Sprintf("%s=%q", label, value)]; !known && len(m.series[metric]) >= most {
		return otherLabel
	}
	return value
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
	m.of("wasmtool_http_refused_total", "reason", reason).value++
}

// asked counts a question to a user and its answer: yes, no, or none if the user gave no answer.
func (m *Metrics) asked(yes bool, err error, took time.Duration) {
	answer := "no"
	switch {
	case err != nil:
		answer = "none"
	case yes:
		answer = "yes"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of("wasmtool_approvals_total", "answer", answer).value++
	m.of("wasmtool_approval_seconds").observe(took)
}

// write prints the counters in the text format of Prometheus.
func (m *Metrics) write(w *bytes.Buffer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range families() {
		head(w, f.name, f.kind, f.help)
		for _, labels := range slices.Sorted(maps.Keys(m.series[f.name])) {
			if s := m.series[f.name][labels]; f.kind == histogram {
				s.writeHistogram(w, f.name, labels)
			} else {
				fmt.Fprintf(w, "%s%s %d\n", f.name, braced(labels), s.value)
			}
		}
	}
	number(w, "process_start_time_seconds", gauge, "When the server was started, in seconds since 1970.", m.began.Unix())
}

// braced returns labels as they follow the name of a metric.
func braced(labels string) string {
	if labels == "" {
		return ""
	}
	return "{" + labels + "}"
}

func (s *series) writeHistogram(w *bytes.Buffer, name, labels string) {
	before := labels
	if labels != "" {
		before += ","
	}
	sum := uint64(0)
	for i, bound := range latencies {
		sum += s.buckets[i]
		fmt.Fprintf(w, "%s_bucket{%sle=\"%g\"} %d\n", name, before, bound, sum)
	}
	sum += s.buckets[len(latencies)]
	fmt.Fprintf(w, "%s_bucket{%sle=\"+Inf\"} %d\n%[1]s_sum%[4]s %[5]g\n%[1]s_count%[4]s %[3]d\n", name, before, sum, braced(labels), s.seconds)
}

// writeProcess prints what the Go runtime measures and, on Linux, what the kernel counts.
func writeProcess(w *bytes.Buffer) {
	if stat, err := os.ReadFile("/proc/self/stat"); err == nil {
		// The name of the program, in parentheses, may have spaces. The fields have the numbers of
		// proc_pid_stat(5), minus 3. Times are in hundredths of a second.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		field := func(i int) uint64 {
			n, _ := strconv.ParseUint(fields[i], 10, 64)
			return n
		}
		if len(fields) > 21 {
			number(w, "process_cpu_seconds_total", counter, "Processor time of the process, with the time of guests.", float64(field(11)+field(12))/100)
			number(w, "process_resident_memory_bytes", gauge, "Memory of the process, with the memory of guests.", field(21)*uint64(os.Getpagesize()))
		}
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		number(w, "process_open_fds", gauge, "Open file descriptors.", len(open))
	}
	for _, m := range []struct{ source, name, kind, help string }{
		{"/sched/goroutines:goroutines", "go_goroutines", gauge, "Goroutines."},
		{"/memory/classes/heap/objects:bytes", "go_memstats_heap_alloc_bytes", gauge, "Bytes of objects in the heap of Go."},
		{"/memory/classes/total:bytes", "go_memstats_sys_bytes", gauge, "Bytes that Go got from the system; memory of guests is not included."},
		{"/gc/cycles/total:gc-cycles", "go_gc_cycles_total", counter, "Completed garbage collections."},
	} {
		sample := []goruntime.Sample{{Name: m.source}}
		if goruntime.Read(sample); sample[0].Value.Kind() == goruntime.KindUint64 {
			number(w, m.name, m.kind, m.help, sample[0].Value.Uint64())
		}
	}
}

func number[N int | int64 | uint64 | float64](w *bytes.Buffer, name, kind, help string, value N) {
	head(w, name, kind, help)
	fmt.Fprintf(w, "%s %v\n", name, value)
}

func head(w *bytes.Buffer, name, kind, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}
