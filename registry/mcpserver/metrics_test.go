package mcpserver

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Neither tools that come and go nor users can add any number of time series, and no name of a user
// is shown.
func TestMetricsAreBoundedAndAnonymous(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	for i := range 3 * maxToolLabels {
		m.called(fmt.Sprintf("jane%d@example.com", i), fmt.Sprintf("tool%d", i), "", time.Second)
	}
	m.Compiled(time.Second, nil)
	m.Compiled(time.Minute, errors.New("no"))
	m.CacheHit()
	m.asked(true, nil, time.Second)
	m.asked(false, nil, time.Second)
	m.asked(false, errors.New("gone"), time.Second)
	m.ServerChanged("github", false, true)
	m.ServerChanged("github", true, false)
	m.ServerChanged("db", true, false)
	m.ServerChanged("db", false, false)
	m.ServerCalled("github", "timeout", time.Minute)
	m.Spans(5, 3)
	var text bytes.Buffer
	m.write(&text)
	for prefix, most := range map[string]int{"wasmtool_calls_total{": maxToolLabels + 1, "wasmtool_call_seconds_count{": maxToolLabels + 1, "wasmtool_tenant_calls_total{": maxTenantLabels + 1} {
		if n := strings.Count(text.String(), "\n"+prefix); n != most {
			t.Errorf("%s has %d time series, want %d", prefix, n, most)
		}
	}
	if strings.Contains(text.String(), "jane") {
		t.Error("the metrics name a user")
	}
	for _, line := range []string{
		`wasmtool_calls_total{tool="(other)",code=""} 2000`, `wasmtool_compile_seconds_count 2`, `wasmtool_compile_seconds_sum 61`,
		`wasmtool_compile_failures_total 1`, `wasmtool_approvals_total{answer="yes"} 1`, `wasmtool_approvals_total{answer="none"} 1`,
		`wasmtool_approval_seconds_sum 3`, `wasmtool_compile_cache_hits_total 1`, `wasmtool_spans_sent_total 5`, `wasmtool_spans_dropped_total 3`,
		`wasmtool_mcp_server_up{server="github"} 1`, `wasmtool_mcp_server_up{server="db"} 0`, `wasmtool_mcp_server_starts_total{server="db"} 1`,
		`wasmtool_mcp_server_start_failures_total{server="github"} 1`, `wasmtool_mcp_server_calls_total{server="github",code="timeout"} 1`,
		`wasmtool_mcp_server_call_seconds_count{server="github"} 1`,
	} {
		if !strings.Contains(text.String(), line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
}
