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
	m.asked(true, nil)
	m.asked(false, nil)
	m.asked(false, errors.New("gone"))
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
	} {
		if !strings.Contains(text.String(), line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
}
