package schedule

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestIndependentCalls(t *testing.T) {
	a, b := filepath.FromSlash("/ws/a"), filepath.FromSlash("/ws/b")
	for _, tt := range []struct {
		one, other Reach
		want       bool
	}{
		{Reach{ReadOnly: true}, Reach{ReadOnly: true}, true},
		{Reach{File: a}, Reach{File: b}, true},
		{Reach{File: a}, Reach{File: a}, false},
		{Reach{File: a}, Reach{File: filepath.Dir(a)}, false},
		{Reach{File: a}, Reach{ReadOnly: true}, false},
		{Reach{}, Reach{ReadOnly: true}, false},
		{Reach{}, Reach{File: a}, false},
		{Reach{}, Reach{}, false},
	} {
		if tt.one.Independent(tt.other) != tt.want || tt.other.Independent(tt.one) != tt.want {
			t.Errorf("%v and %v: want %v", tt.one, tt.other, tt.want)
		}
	}
}

func TestEnter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{MaxTenantCalls: 1, MaxTenantMemory: 10, WaitTimeout: 5 * time.Second})
		enter := func(ctx context.Context, memory uint64) (leave func(), waited time.Duration, code tool.Code) {
			leave, waited, err := s.Enter(ctx, Need{Tenant: "t", Memory: memory})
			return leave, waited, tool.CodeOf(err)
		}
		if _, _, code := enter(t.Context(), 11); code != tool.CodeResourceExhausted {
			t.Errorf("more memory than the limit: %q", code)
		}
		leave, waited, _ := enter(t.Context(), 10)
		if waited != 0 {
			t.Errorf("the first waited for %v", waited)
		}
		if _, waited, code := enter(t.Context(), 0); waited != 5*time.Second || code != tool.CodeResourceExhausted {
			t.Errorf("the second waited for %v, %q", waited, code)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("enough")) })
		if _, waited, code := enter(ctx, 0); waited != time.Second || code != tool.CodeCancelled {
			t.Errorf("the third waited for %v, %q", waited, code)
		}
		time.AfterFunc(time.Second, leave)
		leave, waited, code := enter(t.Context(), 10)
		if waited != time.Second || code != "" {
			t.Errorf("the last waited for %v, %q", waited, code)
		}
		leave()
		leave() // a second call of leave has no effect
	})
}

// A call inside another takes its place and memory, and waits only for files, unless the other call
// has files itself.
func TestCallsInsideOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{MaxCalls: 1, MaxTenantCalls: 1, MaxTenantMemory: 100})
		leave, _, err := s.Enter(t.Context(), Need{Tenant: "t", Memory: 100, Paths: []string{"/w"}})
		if err != nil {
			t.Fatal(err)
		}
		inside, _, err := s.Enter(t.Context(), Need{Tenant: "t", Memory: 100, Inside: true, Held: []string{"/w"}, Paths: []string{"/w/a"}})
		if err != nil {
			t.Fatal(err)
		}
		inside()
		if _, _, err := s.Enter(t.Context(), Need{Tenant: "t", Inside: true, Held: []string{"/w"}, Paths: []string{"/other"}}); tool.CodeOf(err) != tool.CodeResourceExhausted {
			t.Errorf("a call inside a call with files waits for others: %v", err)
		}
		// A call without files of its own waits for those that another call has.
		ran := make(chan error)
		go func() {
			done, _, err := s.Enter(t.Context(), Need{Tenant: "t", Inside: true, Paths: []string{"/w/b"}})
			if err == nil {
				done()
			}
			ran <- err
		}()
		synctest.Wait()
		select {
		case err := <-ran:
			t.Errorf("the call did not wait: %v", err)
		default:
		}
		leave()
		if err := <-ran; err != nil {
			t.Error(err)
		}
		again, _, err := s.Enter(t.Context(), Need{Tenant: "t", Memory: 100})
		if err != nil {
			t.Fatal(err)
		}
		again()
	})
}
