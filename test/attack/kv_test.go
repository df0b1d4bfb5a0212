package attack

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/registry/tool"
)

const (
	storeAsked = "[permissions]\nkv = %q\n"
	storeGiven = `
[grants]
allow = ["kv:write"]
[tools.script]
auto_execute = true
[tools.other]
auto_execute = true
[tools.reader]
auto_execute = true
`
)

// stores returns three kinds of scripts: with a store that they may write, with a store that they
// may only read, and without a store.
func stores() map[string]string {
	return map[string]string{
		"script": fmt.Sprintf(storeAsked, "write"), "other": fmt.Sprintf(storeAsked, "write"),
		"reader": fmt.Sprintf(storeAsked, "read"), "none": "",
	}
}

// The keys of a tool and tenant are invisible to all other tools and tenants, regardless of the
// names of the keys. They persist for the next Registry.
func TestStoresAreApart(t *testing.T) {
	s := setup{tools: stores(), operator: storeGiven, stateDir: t.TempDir()}
	tenants := []string{"", "a", "A", "a/script", "../a", "..", "a\x00", "a ", "é", "e\u0301", "script", strings.Repeat("t", 400)}
	names := []string{"script", "other"}
	each := func(l *lab, do func(owner string, call tool.Call)) {
		for _, tenant := range tenants {
			for _, name := range names {
				do(tenant+"|"+name, tool.Call{Tool: name, Tenant: tenant})
			}
		}
	}
	run := func(l *lab, call tool.Call, steps ...step) []outcome {
		full := script(call.Tool, steps...)
		full.Tenant = call.Tenant
		return l.call(t, full)
	}
	first := newLab(t, s)
	each(first, func(owner string, call tool.Call) {
		out := run(first, call, step{Do: "list"}, step{Do: "get", Text: "k"}, step{Do: "put", Text: "k", More: &owner}, step{Do: "put", Text: owner, More: ptr("")})
		if out[0].Text != "[]" || out[1].Code != int32(hostfuncs.CodeNotFound) {
			t.Errorf("%q finds %+v", owner, out)
		}
	})
	second := newLab(t, s)
	for _, l := range []*lab{first, second} {
		each(l, func(owner string, call tool.Call) {
			out := run(l, call, step{Do: "get", Text: "k"}, step{Do: "list"})
			var keys []string
			if err := json.Unmarshal([]byte(out[1].Text), &keys); err != nil || len(keys) != 2 || out[0].Text != owner {
				t.Errorf("%q finds %+v", owner, out)
			}
		})
	}
}

// A tool can use its store only in the mode that is granted, and it is granted no more than it asks
// for.
func TestModesOfStores(t *testing.T) {
	l := newLab(t, setup{tools: stores(), operator: storeGiven})
	const denied, missing = int32(hostfuncs.CodeDenied), int32(hostfuncs.CodeNotFound)
	steps := []step{{Do: "get", Text: "k"}, {Do: "list"}, {Do: "put", Text: "k"}, {Do: "delete", Text: "k"}, {Do: "swap", Text: "k", Last: ptr("v")}}
	for name, want := range map[string][]int32{
		"none": {denied, denied, denied, denied, denied}, "reader": {missing, 2, denied, denied, denied}, "script": {missing, 2, 0, 0, 1},
	} {
		for i, out := range l.call(t, script(name, steps...)) {
			if out.Code != want[i] {
				t.Errorf("%s: %s: %+v, want %d", name, steps[i].Do, out, want[i])
			}
		}
	}
	// The operator's denial takes precedence over a grant.
	no := newLab(t, setup{tools: stores(), operator: strings.Replace(storeGiven, "[tools.script]", "deny = [\"kv:write\"]\n[tools.script]", 1)})
	if _, err := no.execute(t, script("script", steps...)); tool.CodeOf(err) != tool.CodePermissionDenied {
		t.Errorf("got %v", err)
	}
}

// Invalid and large keys and values are refused without cost for the host: the receipt stays small
// for all of them.
func TestQuotasOfStores(t *testing.T) {
	l := newLab(t, setup{tools: stores(), operator: storeGiven})
	tests := []struct {
		step step
		want hostfuncs.Code
	}{
		{step{Do: "put", Text: "k", Times: 513}, hostfuncs.CodeTooMuch},
		{step{Do: "get", Text: "k", Times: 8 << 20}, hostfuncs.CodeTooMuch},
		{step{Do: "delete", Text: "d", Times: 8 << 20}, hostfuncs.CodeTooMuch},
		{step{Do: "swap", Text: "s", Times: 8 << 20, Last: ptr("v")}, hostfuncs.CodeTooMuch},
		{step{Do: "put", Text: ""}, hostfuncs.CodeInvalid},
		{step{Do: "get", Text: ""}, hostfuncs.CodeInvalid},
		{step{Do: "put", Text: "v", More: ptr(strings.Repeat("v", 1<<20+1))}, hostfuncs.CodeTooMuch},
	}
	for _, tt := range tests {
		out := l.play(t, tt.step)[0]
		if out.Code != int32(tt.want) {
			t.Errorf("%s: %d %.200s, want %d", tt.step.Do, out.Code, out.Fault, tt.want)
		}
		if len(out.Fault) > 1000 {
			t.Errorf("%s: an error of %d bytes", tt.step.Do, len(out.Fault))
		}
	}
	for _, r := range l.noted() {
		text, err := json.Marshal(r)
		if err != nil || len(text) > 10<<10 {
			t.Errorf("a receipt of %d bytes, %v", len(text), err)
		}
	}
	// The store is full once it contains 16 MiB.
	full := l.play(t, step{Do: "put", Text: "0", More: ptr(strings.Repeat("v", 1<<20))})
	for i := 1; full[0].Code == 0 && i < 20; i++ {
		full = l.play(t, step{Do: "put", Text: fmt.Sprint(i), More: ptr(strings.Repeat("v", 1<<20))})
	}
	if f := full[0].failure(t); f.Kind != "quota_bytes" {
		t.Errorf("a full store gives %+v", f)
	}
}

// If calls in two registries that share a directory change the same key concurrently, no change is
// lost.
func TestSwapsLoseNothing(t *testing.T) {
	const calls, each = 4, 25
	s := setup{tools: stores(), operator: storeGiven, stateDir: t.TempDir()}
	labs := []*lab{newLab(t, s), newLab(t, s)}
	var wg sync.WaitGroup
	for _, l := range labs {
		for range calls {
			wg.Go(func() {
				if _, err := l.execute(t, script("script", step{Do: "count", Text: "n", Repeat: each})); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	if out := labs[0].play(t, step{Do: "get", Text: "n"}); len(out[0].Text) != 2*calls*each {
		t.Errorf("%d of %d changes are there", len(out[0].Text), 2*calls*each)
	}
}

// The functions of the ABI return the length of a value even if the buffer is too small. They
// distinguish an absent value from an empty one.
func TestSwapResultsOfTheABI(t *testing.T) {
	l := newLab(t, setup{tools: stores(), operator: storeGiven})
	tests := []struct {
		step step
		want outcome
	}{
		{step{Do: "swap", Text: "k", More: ptr("x"), Last: ptr("y")}, outcome{Code: 0}},
		{step{Do: "swap", Text: "k", Last: ptr("abc")}, outcome{Code: 1}},
		{step{Do: "swap", Text: "k", Last: ptr("y")}, outcome{Code: 0}},
		{step{Do: "get", Text: "k", Size: 2}, outcome{Code: 3, Text: "ab"}},
		{step{Do: "swap", Text: "k", More: ptr("abc"), Last: ptr("")}, outcome{Code: 1}},
		{step{Do: "get", Text: "k"}, outcome{Code: 0}},
		{step{Do: "swap", Text: "k", More: ptr("")}, outcome{Code: 1}},
		{step{Do: "list"}, outcome{Code: 2, Text: "[]"}},
	}
	var steps []step
	for _, tt := range tests {
		steps = append(steps, tt.step)
	}
	for i, out := range l.play(t, steps...) {
		if out != tests[i].want {
			t.Errorf("%d: %+v: got %+v, want %+v", i, tests[i].step, out, tests[i].want)
		}
	}
}
