package registry

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A tenant that has used up its budget waits until the budget has refilled; other tenants do not.
func TestUsedUpBudgetBlocksItsTenant(t *testing.T) {
	sent := capability.RequestUsage{Method: "GET", Origin: "https://a.example", Sent: true}
	large := capability.RequestUsage{Method: "POST", Origin: "https://a.example", Sent: true, BytesSent: 10, BytesReceived: 490}
	for limit, tt := range map[string]struct {
		budget schedule.Budget
		used   tool.CallInfo // what each call uses
	}{
		"fuel":              {schedule.Budget{Fuel: 100}, tool.CallInfo{Fuel: 50}},
		"time":              {schedule.Budget{Time: 2 * time.Second}, tool.CallInfo{}},
		"bytes of requests": {schedule.Budget{Bytes: 1000}, tool.CallInfo{Usage: capability.Usage{Requests: []capability.RequestUsage{large}}}},
		"requests":          {schedule.Budget{Requests: 4}, tool.CallInfo{Usage: capability.Usage{Requests: []capability.RequestUsage{sent, {Method: "GET"}, sent}}}},
	} {
		t.Run(limit, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ran := 0
				tt.budget.Per = time.Hour
				r := withTool(t, Options{Schedule: schedule.Options{Budget: tt.budget}}, echo(), &fake{execute: func(context.Context, tool.Invocation) (tool.Result, error) {
					ran++
					time.Sleep(time.Second)
					return tool.Result{Call: tt.used}, nil
				}})
				call := func(tenant string) error {
					c := say("x")
					c.Tenant = tenant
					_, err := r.Execute(t.Context(), c)
					return err
				}
				for range 3 { // meanwhile a part of the budget refills
					if err := call("a"); err != nil {
						t.Fatal(err)
					}
				}
				before := ran
				e := wantCode(t, call("a"), tool.CodeResourceExhausted)
				if e.Details.Limit != "budget of "+limit || e.Details.RetryAfter <= 0 || ran != before {
					t.Errorf("got %+v", e)
				}
				if err := call("b"); err != nil {
					t.Errorf("another tenant: %v", err)
				}
				time.Sleep(e.Details.RetryAfter)
				if err := call("a"); err != nil {
					t.Errorf("after %v: %v", e.Details.RetryAfter, err)
				}
			})
		})
	}
}

// Failed calls also use up the budget. A call may use more than is left of the budget; later calls
// then wait longer.
func TestBudgetCanBeOverdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withTool(t, Options{Schedule: schedule.Options{Budget: schedule.Budget{Fuel: 100}}}, echo(), &fake{execute: func(context.Context, tool.Invocation) (tool.Result, error) {
			return tool.Result{Call: tool.CallInfo{Fuel: 300}}, &tool.Error{Code: tool.CodeTrap, Message: "no"}
		}})
		_, err := r.Execute(t.Context(), say("x"))
		wantCode(t, err, tool.CodeTrap)
		time.Sleep(time.Minute) // refills 100 of the 300
		_, err = r.Execute(t.Context(), say("x"))
		wantCode(t, err, tool.CodeResourceExhausted)
		time.Sleep(time.Minute + time.Second)
		_, err = r.Execute(t.Context(), say("x"))
		wantCode(t, err, tool.CodeTrap)
	})
}
