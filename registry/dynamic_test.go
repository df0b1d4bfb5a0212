package registry

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// describing is a dynamic tool whose Describe calls a function.
type describing struct {
	fake
	describe func(ctx context.Context) (tool.Definition, error)
}

func (d *describing) Describe(ctx context.Context, _ capability.Grant) (tool.Definition, error) {
	return d.describe(ctx)
}

func withDynamic(t *testing.T, o Options, describe func(ctx context.Context) (tool.Definition, error)) *Registry {
	t.Helper()
	r := New(o)
	if err := r.Tools().Register(tool.Spec{Name: "skill", Description: "Static."}, &describing{describe: describe}); err != nil {
		t.Fatal(err)
	}
	return r
}

// onlyCook is a definition with one skill.
var onlyCook = tool.Definition{
	Description: "Skills: cook.",
	Parameters:  json.RawMessage(`{"type":"object","required":["name"],"properties":{"name":{"enum":["cook"]}}}`),
}

func TestDynamicToolIsDescribedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		r := withDynamic(t, Options{}, func(context.Context) (tool.Definition, error) {
			runs.Add(1)
			time.Sleep(time.Second)
			return onlyCook, nil
		})
		if got, _ := r.Tools().Get("skill"); got.Description != "Static." {
			t.Errorf("before its first use it says %q", got.Description)
		}
		var calls sync.WaitGroup
		for range 20 {
			calls.Go(func() {
				if _, err := r.Execute(context.Background(), tool.Call{Tool: "skill", Arguments: json.RawMessage(`{"name":"cook"}`)}); err != nil {
					t.Error(err)
				}
				_, err := r.Execute(context.Background(), tool.Call{Tool: "skill", Arguments: json.RawMessage(`{"name":"sing"}`)})
				wantCode(t, err, tool.CodeInvalidArgument)
			})
		}
		calls.Wait()
		if runs.Load() != 1 {
			t.Errorf("it was described %d times", runs.Load())
		}
		if got, _ := r.Tools().Get("skill"); got.Description != "Skills: cook." {
			t.Errorf("afterwards it says %q", got.Description)
		}
		if found := r.Tools().Search("cook", 0); len(found) != 1 {
			t.Errorf("search finds %v", found)
		}
	})
}

func TestFailedDescriptionReachesAllCallersAndIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("the directory of skills is gone")
		var runs atomic.Int32
		r := withDynamic(t, Options{}, func(context.Context) (tool.Definition, error) {
			time.Sleep(time.Second)
			if runs.Add(1) == 1 {
				return tool.Definition{}, &tool.Error{Code: tool.CodeExecution, Message: cause.Error()}
			}
			return onlyCook, nil
		})
		var waiting sync.WaitGroup
		for range 5 {
			waiting.Go(func() {
				result, err := r.Execute(context.Background(), tool.Call{Tool: "skill"})
				wantCode(t, err, tool.CodeExecution)
				if !strings.Contains(result.Text(), "failed to describe itself: the directory of skills is gone") {
					t.Errorf("the model reads %q", result.Text())
				}
			})
		}
		waiting.Wait()
		if _, err := r.Execute(context.Background(), tool.Call{Tool: "skill", Arguments: json.RawMessage(`{"name":"cook"}`)}); err != nil || runs.Load() != 2 {
			t.Errorf("the next call: %v after %d runs", err, runs.Load())
		}
	})
}

// Listing tools does not run a failed description again each time. A call of the tool and Refresh
// do.
func TestListDoesNotRetryFailedDescription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		r := withDynamic(t, Options{}, func(context.Context) (tool.Definition, error) {
			runs++
			return tool.Definition{}, &tool.Error{Code: tool.CodeExecution, Message: "the directory of skills is gone"}
		})
		list := func(after time.Duration, want int) {
			t.Helper()
			time.Sleep(after)
			wantCode(t, r.Tools().Describe(context.Background()), tool.CodeExecution)
			if runs != want {
				t.Errorf("it was described %d times, want %d", runs, want)
			}
		}
		list(0, 1)
		list(30*time.Second-time.Second, 1)
		list(time.Second, 2)
		_, err := r.Execute(context.Background(), tool.Call{Tool: "skill"})
		wantCode(t, err, tool.CodeExecution)
		list(0, 3)
		if _, err := r.Tools().Refresh(context.Background(), "skill"); err == nil {
			t.Error("Refresh returns no error")
		}
		list(0, 4)
	})
}

func TestHangingDescriptionBlocksNoCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var runs atomic.Int32
		r := withDynamic(t, Options{Tools: catalogue.Options{LoadTimeout: time.Second}}, func(context.Context) (tool.Definition, error) {
			runs.Add(1)
			<-release
			return onlyCook, nil
		})
		for range 3 {
			_, err := r.Execute(context.Background(), tool.Call{Tool: "skill"})
			wantCode(t, err, tool.CodeTimeout)
		}
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Millisecond, cancel)
		_, err := r.Execute(ctx, tool.Call{Tool: "skill"})
		wantCode(t, err, tool.CodeCancelled)
		close(release)
		synctest.Wait()
		if _, _, err := r.Validate("skill", json.RawMessage(`{"name":"cook"}`)); err != nil || runs.Load() != 1 {
			t.Errorf("once it ended: %v after %d runs", err, runs.Load())
		}
	})
}
