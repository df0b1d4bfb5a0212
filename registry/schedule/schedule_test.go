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
