package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// maxLate is the delay that promise 2 of docs/security.md allows.
const maxLate = 250 * time.Millisecond

// A call returns at most 250 ms after its deadline. This includes work that the call causes for the
// host before, during and after the run of its guest.
func TestTimingOfTheWorstInputs(t *testing.T) {
	testlevel.Timing(t, "it measures how long after their deadline calls return that give the host most to do")
	const timeout = 100 * time.Millisecond
	var divisors []string
	for _, n := range []int{2, 3, 5, 7, 11} {
		divisors = append(divisors, fmt.Sprintf(`{"multipleOf":%de-300}`, n))
	}
	numbers := `{"type":"array","items":{"type":"number","allOf":[` + strings.Join(divisors, ",") + `]}}`
	large := "[" + strings.Repeat("1e1000,", 250_000) + "1]"
	short := "[" + strings.Repeat(`"\n",`, 250_000) + "1]"
	escapes := "[" + strings.Repeat(`"`+strings.Repeat(`\n`, 13)+`",`, 250_000) + "1]"
	var members strings.Builder
	for i := range 130_000 {
		fmt.Fprintf(&members, `"%s%d":1,`, strings.Repeat(`\n`, 20), i)
	}
	object := "{" + members.String() + `"z":1}`

	// gives returns a call of a tool that returns its result just before its deadline.
	gives := func(schema, structured string) func() error {
		r := one(t, registry.Options{}, "", func(s *tool.Spec) {
			s.Timeout, s.Result = timeout, json.RawMessage(schema)
		}, simple{execute: func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
			deadline, _ := ctx.Deadline()
			early, cancel := context.WithDeadline(ctx, deadline.Add(-5*time.Millisecond))
			defer cancel()
			<-early.Done()
			return tool.Result{Structured: json.RawMessage(structured)}, nil
		}})
		return func() error { _, err := r.Execute(t.Context(), callOf(`{}`)); return err }
	}
	takes := func(schema, argument string) func() error {
		r := one(t, registry.Options{}, `"a":`+schema, func(s *tool.Spec) { s.Timeout = timeout }, simple{})
		return func() error { _, err := r.Execute(t.Context(), callOf(`{"a":`+argument+`}`)); return err }
	}
	// loops returns a call of a guest that calls fd_read with many buffers until it is stopped.
	loops := func(pieces int32) func() error {
		m := guest(t, []byte{wasmtest.Loop, wasmtest.Empty}, read(pieces), []byte{wasmtest.Br, 0, wasmtest.End})
		return func() error {
			bindings, err := hostfuncs.Bind(capability.Grant{}, files.Options{}, hostfuncs.Services{})
			if err != nil {
				return err
			}
			defer bindings.Close()
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			_, err = m.Call(ctx, runtime.Call{Bindings: bindings})
			return err
		}
	}
	for name, call := range map[string]func() error{
		"large numbers in a result":              gives(numbers, large),
		"large numbers in arguments":             takes(numbers, large),
		"different numbers in a result":          gives(`{"type":"array","uniqueItems":true}`, large),
		"short texts in a result":                gives(`{"type":"array","items":{"type":["string","number"],"maxLength":3}}`, short),
		"escapes in a result":                    gives(`{"type":"array","items":{"type":["string","number"],"pattern":"n"}}`, escapes),
		"names in a result":                      gives(`{"type":"object","propertyNames":{"pattern":"n"}}`, object),
		"names in arguments":                     takes(`{"type":"object","propertyNames":{"pattern":"n"}}`, object),
		"short texts in arguments":               takes(`{"type":"array","items":{"pattern":"^(a|b)*c"}}`, short),
		"a long text against a pattern":          takes(`{"type":"string","pattern":"(x+x+)+y"}`, `"`+strings.Repeat("x", 4<<20)+`"`),
		"reads of 1,024 pieces":                  loops(1024),
		"reads of more pieces than there may be": loops(1 << 29),
	} {
		began := time.Now()
		err := call()
		took := time.Since(began)
		if late := took - timeout; late > maxLate {
			t.Errorf("%s: %v late (%v)", name, late, err)
		}
		t.Logf("%s: %v, %.80v", name, took, err)
	}
}

// The search for a secret in many short strings also stops at the deadline.
func TestTimingOfHidingSecrets(t *testing.T) {
	testlevel.Timing(t, "it measures how long after its deadline a call returns in whose result secrets are hidden")
	w := newWorld(t, parrot)
	env := make(map[string]string)
	for name := range secretEnv {
		env[name] = strings.Repeat(name, 2000/len(name))
	}
	l := newLab(t, setup{
		tools: map[string]string{"script": secretiveAsked}, operator: secretiveGiven, env: env, http: w.options(), stateDir: t.TempDir(),
	})
	// The first call compiles the module.
	for _, text := range []string{"done", "[" + strings.Repeat(`"\n",`, 100_000) + "1]"} {
		call := script("script", get("https://api.example.com/plain"), step{Do: "say", Text: text})
		call.Timeout = time.Second
		began := time.Now()
		_, err := l.execute(t, call)
		took := time.Since(began)
		if late := took - call.Timeout; text != "done" && late > maxLate {
			t.Errorf("%v late (%v)", late, err)
		}
		t.Logf("%d bytes: %v, %.200v", len(text), took, err)
	}
}
