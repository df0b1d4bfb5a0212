package registry

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestShortestTimeoutApplies(t *testing.T) {
	hang := &fake{execute: func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
		<-ctx.Done()
		code := tool.CodeCancelled
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			code = tool.CodeTimeout
		}
		return tool.Result{}, &tool.Error{Code: code, Message: "stopped"}
	}}
	spec := echo()
	spec.Timeout = 10 * time.Second
	tests := []struct {
		name   string
		call   time.Duration // Call.Timeout
		caller time.Duration // the caller's deadline; 0 means none
		want   time.Duration
		text   string
	}{
		{"the tool's timeout", 0, 0, 10 * time.Second, "no result within 10s"},
		{"a shorter timeout of the call", time.Second, 0, time.Second, "no result within 1s"},
		{"a longer timeout of the call", time.Minute, 0, time.Minute, "no result within 1m0s"},
		{"the registry's limit", time.Hour, 0, 5 * time.Minute, "no result within 5m0s"},
		{"the caller's deadline", 0, 2 * time.Second, 2 * time.Second, "the caller's deadline passed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := withTool(t, Options{MaxTimeout: 5 * time.Minute}, spec, hang)
				ctx := t.Context()
				if tt.caller > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.caller)
					defer cancel()
				}
				start := time.Now()
				_, err := r.Execute(ctx, tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":""}`), Timeout: tt.call})
				if e := wantCode(t, err, tool.CodeTimeout); !strings.Contains(e.Message, tt.text) {
					t.Errorf("got %q, want %q", e.Message, tt.text)
				}
				if got := time.Since(start); got != tt.want {
					t.Errorf("took %v, want %v", got, tt.want)
				}
			})
		})
	}
}

func TestCancelledCallEnds(t *testing.T) {
	f := &fake{execute: func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
		<-ctx.Done()
		return tool.Result{}, &tool.Error{Code: tool.CodeCancelled}
	}}
	r := withTool(t, Options{}, echo(), f)
	call := tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":""}`)}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := r.Execute(ctx, call)
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	} else {
		wantCode(t, err, tool.CodeCancelled)
	}
	f.execute = func(context.Context, tool.Invocation) (tool.Result, error) {
		t.Error("a cancelled call ran")
		return tool.Result{}, nil
	}
	_, err := r.Execute(ctx, call)
	wantCode(t, err, tool.CodeCancelled)
}

func TestLoadingHasItsOwnTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{prepare: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		spec := echo()
		spec.Timeout = time.Second
		r := withTool(t, Options{Tools: catalogue.Options{LoadTimeout: time.Minute}}, spec, f)
		start := time.Now()
		_, err := r.Execute(t.Context(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":""}`)})
		if e := wantCode(t, err, tool.CodeTimeout); !strings.Contains(e.Message, "not loaded within 1m0s") {
			t.Errorf("got %q", e.Message)
		}
		if got := time.Since(start); got != time.Minute {
			t.Errorf("took %v", got)
		}
	})
}
