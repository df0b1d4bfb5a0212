package catalogue

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
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

func withDynamic(t *testing.T, describe func(ctx context.Context) (tool.Definition, error)) *Catalogue {
	t.Helper()
	c := New(Options{}, Hooks{})
	if err := c.Register(tool.Spec{Name: "skill", Description: "Static."}, &describing{describe: describe}); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestInvalidDefinitionIsNotUsed(t *testing.T) {
	tests := map[string]struct {
		describe func(context.Context) (tool.Definition, error)
		code     tool.Code
	}{
		"an invalid schema": {func(context.Context) (tool.Definition, error) {
			return tool.Definition{Parameters: json.RawMessage(`{"type":"strng"}`)}, nil
		}, tool.CodeInvalidManifest},
		"a panic": {func(context.Context) (tool.Definition, error) { panic("oh") }, tool.CodeInternal},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := withDynamic(t, tt.describe)
			wantCode(t, c.Describe(context.Background()), tt.code)
			if got, _ := c.Get("skill"); got.Description != "Static." {
				t.Errorf("afterwards it says %q", got.Description)
			}
		})
	}
}

func TestRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		c := withDynamic(t, func(context.Context) (tool.Definition, error) {
			n := runs.Add(1)
			time.Sleep(10 * time.Second / time.Duration(n)) // the first call takes longest
			return tool.Definition{Description: fmt.Sprintf("Version %d.", n)}, nil
		})
		go func() { _ = c.Describe(context.Background(), "skill") }()
		synctest.Wait()
		// This description began before the inputs changed, and ends after the refresh.
		if _, err := c.Refresh(context.Background(), "skill"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got, _ := c.Get("skill"); got.Description != "Version 2." {
			t.Errorf("the description is %q", got.Description)
		}
		if err := c.Disable("skill"); err != nil {
			t.Fatal(err)
		}
		before, _ := c.Get("skill")
		diff, err := c.Refresh(context.Background(), "skill")
		if err != nil || diff.String() != "description: Version 2. -> Version 3.\n" {
			t.Errorf("got %v, %v", diff, err)
		}
		if after, _ := c.Get("skill"); !after.Disabled || after.CreatedAt != before.CreatedAt {
			t.Errorf("got %+v", after)
		}
	})
	c := withTool(t, echo(), &fake{})
	_, err := c.Refresh(context.Background(), "echo")
	wantCode(t, err, tool.CodeInvalidManifest)
	_, err = c.Refresh(context.Background(), "nothing")
	wantCode(t, err, tool.CodeNotFound)
	wantCode(t, c.Describe(context.Background(), "nothing"), tool.CodeNotFound)
}

func TestReplacedToolIgnoresOldDescription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := withDynamic(t, func(context.Context) (tool.Definition, error) {
			time.Sleep(time.Second)
			return tool.Definition{Description: "Skills: cook."}, nil
		})
		go func() { _ = c.Describe(context.Background()) }()
		synctest.Wait()
		if _, err := c.Replace("skill", tool.Spec{Name: "skill", Description: "Other."}, &fake{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if got, _ := c.Get("skill"); got.Description != "Other." {
			t.Errorf("the description is %q", got.Description)
		}
	})
}
