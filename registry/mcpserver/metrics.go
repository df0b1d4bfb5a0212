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
	answered  durations             // of questions until their answers
	compiled  durations
	failed    uint64 // compilations
	cached    uint64 // modules
	servers   servers
	spans     struct{ sent, dropped uint64 }
}

// servers counts by the name of the MCP server. The names come from the operator's file.
type servers struct {
	up, starts, failures map[string]uint64
	calls                map[callLabels]uint64
	durations            map[string]*durations
}

// callLabels has the name of a tool or of an MCP server.
type callLabels struct {
	name string
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

func addTo(all map[string]*durations, label string, took time.Duration) {
	if all[label] == nil {
		all[label] = new(durations)
	}
	all[label].add(took)
}

// NewMetrics returns counters that are 0.
func NewMetrics() *Metrics {
	m := &Metrics{
		began: time.Now(), calls: make(map[callLabels]uint64), tools: make(map[string]*durations),
		tenants: make(map[string]uint64), refused: make(map[string]uint64), approvals: make(map[string]uint64),
		servers: servers{
			up: make(map[string]uint64), starts: make(map[string]uint64), failures: make(map[string]uint64),
			calls: make(map[callLabels]uint64), durations: make(map[string]*durations),
		},
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

// CacheHit counts a module that was loaded from the cache on disk: a runtime.CompileEvent that is
// Cached.
func (m *Metrics) CacheHit() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cached++
}

// ServerChanged counts a start of an MCP server that wasmtool calls, or a failed start, and records
// whether the server is up. Pass it the events of package executor/mcp.
func (m *Metrics) ServerChanged(name string, up, failed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.servers.up[name] = 0
	switch {
	case up:
		m.servers.up[name] = 1
		m.servers.starts[name]++
	case failed:
		m.servers.failures[name]++
	}
}

// ServerCalled counts a call of an MCP server that wasmtool calls.
func (m *Metrics) ServerCalled(name string, code tool.Code, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.servers.calls[callLabels{name, code}]++
	addTo(m.servers.durations, name, took)
}

// Spans counts spans that were sent to the collector of traces, and spans that were dropped.
func (m *Metrics) Spans(sent, dropped int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spans.sent += uint64(max(sent, 0))
	m.spans.dropped += uint64(max(dropped, 0))
}

// called counts a call in the metrics. Only calls of offered tools may be counted, so that a client
// cannot add labels.
func (m *Metrics) called(tenant, name string, code tool.Code, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.tools[name]; !known && len(m.tools) >= maxToolLabels {
		name = otherLabel
	}
	addTo(m.tools, name, took)
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
	m.approvals[answer]++
	m.answered.add(took)
}

// write prints the counters in the text format of Prometheus.
func (m *Metrics) write(w *bytes.Buffer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	byCode(w, "wasmtool_calls_total", "tool", "Ended calls, by tool and error code (empty for success).", m.calls)
	histograms(w, "wasmtool_call_seconds", "tool", "Duration of calls, from request to response, by tool.", m.tools)
	byLabel(w, "wasmtool_tenant_calls_total", "counter", "tenant", "Ended calls, by a pseudonym of the tenant.", m.tenants)
	byLabel(w, "wasmtool_approvals_total", "counter", "answer", "Questions to users about calls, by answer (yes, no, none).", m.approvals)
	head(w, "wasmtool_approval_seconds", "histogram", "Time from a question to a user until its answer.")
	m.answered.write(w, "wasmtool_approval_seconds", "")
	head(w, "wasmtool_compile_seconds", "histogram", "Duration of compilations of modules.")
	m.compiled.write(w, "wasmtool_compile_seconds", "")
	number(w, "wasmtool_compile_failures_total", "counter", "Compilations that failed.", m.failed)
	number(w, "wasmtool_compile_cache_hits_total", "counter", "Modules that were loaded from the cache on disk.", m.cached)
	byLabel(w, "wasmtool_mcp_server_up", "gauge", "server", "Whether the MCP server runs: 1 or 0.", m.servers.up)
	byLabel(w, "wasmtool_mcp_server_starts_total", "counter", "server", "Starts of the MCP server; the first one included.", m.servers.starts)
	byLabel(w, "wasmtool_mcp_server_start_failures_total", "counter", "server", "Failed starts of the MCP server.", m.servers.failures)
	byCode(w, "wasmtool_mcp_server_calls_total", "server", "Ended calls of tools of the MCP server, by error code (empty for success).", m.servers.calls)
	histograms(w, "wasmtool_mcp_server_call_seconds", "server", "Duration of calls of tools of the MCP server.", m.servers.durations)
	number(w, "wasmtool_spans_sent_total", "counter", "Spans sent to the collector of traces.", m.spans.sent)
	number(w, "wasmtool_spans_dropped_total", "counter", "Spans that were not sent, because the collector was slow or refused them.", m.spans.dropped)
	byLabel(w, "wasmtool_http_refused_total", "counter", "reason", "Refused HTTP requests, by reason.", m.refused)
	number(w, "process_start_time_seconds", "gauge", "When the server was started, in seconds since 1970.", m.began.Unix())
}

func byCode(w *bytes.Buffer, name, label, help string, calls map[callLabels]uint64) {
	head(w, name, "counter", help)
	order := func(a, b callLabels) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.code, b.code)) }
	for _, l := range slices.SortedFunc(maps.Keys(calls), order) {
		fmt.Fprintf(w, "%s{%s=%q,code=%q} %d\n", name, label, l.name, l.code, calls[l])
	}
}

func histograms(w *bytes.Buffer, name, label, help string, values map[string]*durations) {
	head(w, name, "histogram", help)
	for _, value := range slices.Sorted(maps.Keys(values)) {
		values[value].write(w, name, fmt.Sprintf("%s=%q", label, value))
	}
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

func byLabel(w *bytes.Buffer, name, kind, label, help string, values map[string]uint64) {
	head(w, name, kind, help)
	for _, value := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(w, "%s{%s=%q} %d\n", name, label, value, values[value])
	}
}

// writeProcess prints what the Go runtime measures and, on Linux, what the kernel counts.
func writeProcess(w *bytes.Buffer) {
	if statm, err := os.ReadFile("/proc/self/statm"); err == nil {
		var total, resident uint64 // in pages
		if _, err := fmt.Sscan(string(statm), &total, &resident); err == nil {
			number(w, "process_resident_memory_bytes", "gauge", "Memory of the process, with the memory of guests.", resident*uint64(os.Getpagesize()))
		}
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		number(w, "process_open_fds", "gauge", "Open file descriptors.", len(open))
	}
	if stat, err := os.ReadFile("/proc/self/stat"); err == nil {
		// The name of the program is in parentheses. The times are in hundredths of a second.
		_, after, _ := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " ")
		fields := strings.Fields(after)
		if len(fields) > 12 {
			user, _ := strconv.ParseUint(fields[11], 10, 64)
			system, _ := strconv.ParseUint(fields[12], 10, 64)
			head(w, "process_cpu_seconds_total", "counter", "Processor time of the process, with the time of guests.")
			fmt.Fprintf(w, "process_cpu_seconds_total %g\n", float64(user+system)/100)
		}
	}
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
