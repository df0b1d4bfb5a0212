package registry

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestHandleReportsUpdatesAndResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		received := 0
		r := withTool(t, Options{}, echo(), does(func(_ context.Context, in tool.Invocation) {
			for i := range 3 {
				in.Update(tool.Update{Title: fmt.Sprint(i)})
			}
			<-time.After(time.Second)
		}))
		call := say("x")
		call.OnUpdate = func(tool.Update) { received++ }
		h := r.Start(t.Context(), call)
		synctest.Wait()
		if c, found := r.Calls().State("", h.ID()); !found || c.Title != "2" {
			t.Errorf("meanwhile it is %+v", c)
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := h.Result(impatient)
		wantCode(t, err, tool.CodeTimeout)
		got := ""
		for u := range h.Updates() {
			got += u.Title
		}
		<-h.Done()
		for range 2 {
			if result, err := h.Result(impatient); err != nil || result.Call.ID != h.ID() {
				t.Errorf("got %+v, %v", result, err)
			}
		}
		if got != "012" || received != 3 {
			t.Errorf("updates %q, received %d", got, received)
		}
	})
}

func TestCancelEndsOnlyItsOwnCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := does(func(ctx context.Context, _ tool.Invocation) { <-ctx.Done() })
		hang.execute = func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
			<-ctx.Done()
			return tool.Result{}, &tool.Error{Code: tool.CodeCancelled}
		}
		r := withTool(t, Options{}, echo(), hang)
		mine, theirs := r.Start(t.Context(), say("x")), r.Start(t.Context(), say("x"))
		synctest.Wait()
		mine.Cancel()
		_, err := mine.Result(t.Context())
		wantCode(t, err, tool.CodeCancelled)
		select {
		case <-theirs.Done():
			t.Error("the other call also ended")
		default:
		}
		theirs.Cancel()
		<-theirs.Done()
	})
}
