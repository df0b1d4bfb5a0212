package registry

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A call that the program or the operator declared safe to retry is retried outside the sandbox and
// after changes, with the same codes and limits as other calls.
func TestCallDeclaredSafeIsRetried(t *testing.T) {
	network, wrote := failure(tool.CodeNetwork), capability.Usage{FilesWritten: []string{"/a"}}
	tests := []struct {
		name      string
		spec      bool // Spec.Retry
		operator  string
		sandboxed bool
		usage     capability.Usage
		errs      []error
		attempts  int
	}{
		{"by the program", true, "", false, capability.Usage{}, []error{network}, 2},
		{"by the operator", false, "echo", false, capability.Usage{}, []error{network}, 2},
		{"another tool by the operator", false, "other", false, capability.Usage{}, []error{network}, 1},
		{"not declared", false, "", false, capability.Usage{}, []error{network}, 1},
		{"something was changed", true, "", false, wrote, []error{network}, 2},
		{"something was changed in the sandbox", false, "echo", true, wrote, []error{network}, 2},
		{"a failure that does not pass", true, "", false, capability.Usage{}, []error{failure(tool.CodeExecution)}, 1},
		{"the caller's limit", true, "", false, capability.Usage{}, []error{network, network, network, network}, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := failsWith(tt.errs...)
				f.usage = tt.usage
				spec := echo()
				spec.Retry, spec.Sandboxed = tt.spec, tt.sandboxed
				r := New(Options{Rules: Rules{ToolOptions: map[string]ToolOptions{tt.operator: {Retry: true}}}})
				if err := r.Tools().Register(spec, f); err != nil {
					t.Fatal(err)
				}
				call := say("x")
				call.Retries = 2
				result, err := r.Execute(t.Context(), call)
				if len(f.times) != tt.attempts || result.Call.Attempts != tt.attempts || (err == nil) != (tt.attempts > len(tt.errs)) {
					t.Errorf("%d attempts, in the result %d, %v", len(f.times), result.Call.Attempts, err)
				}
			})
		})
	}
}

// A declaration does not replace the decision of a Retrier about the kind of failure.
func TestRetrierDecidesAboutDeclaredTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := func(*tool.Error, int) (bool, time.Duration) { return false, 0 }
		f := &retrier{failsWith(failure(tool.CodeNetwork)), never}
		spec := echo()
		spec.Retry = true
		r := New(Options{})
		if err := r.Tools().Register(spec, f); err != nil {
			t.Fatal(err)
		}
		call := say("x")
		call.Retries = 2
		_, err := r.Execute(t.Context(), call)
		wantCode(t, err, tool.CodeNetwork)
		if len(f.times) != 1 {
			t.Errorf("%d attempts", len(f.times))
		}
	})
}
