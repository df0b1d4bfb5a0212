package runtime

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

var zero = wasmtest.Const(0)

// callPlugin loads a plug-in and calls it three times with the input "hello". All calls must end in
// the same way, and after them the counted memory must be zero again.
func callPlugin(t *testing.T, m wasmtest.Module, w wants) (Output, error) {
	t.Helper()
	r := newRuntime(t, Options{})
	module := load(t, r, m.Bytes())
	entry, err := module.Entry("", w.call.Entry.Export)
	if err != nil || entry.ABI != Extism {
		t.Fatalf("%+v, %v", entry, err)
	}
	w.call.Entry = entry
	if w.call.Input == nil {
		w.call.Input = []byte("hello")
	}
	w.call.Limits.Fuel, w.call.Limits.Memory = 1<<22, 1<<20 // so that every call ends
	first, firstErr := ask(t, module, w)
	for range 2 {
		out, err := ask(t, module, w)
		requireEqual(t, out, first, "a further call")
		if reasonOf(t, err) != reasonOf(t, firstErr) {
			t.Errorf("a further call ended with %v, the first with %v", err, firstErr)
		}
	}
	requireNothingLeft(t, r)
	return first, firstErr
}

// requireNothingLeft closes a Runtime and fails the test if memory is still counted.
func requireNothingLeft(t *testing.T, r *Runtime) {
	t.Helper()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if in := r.pools.Usage().Memory; in != 0 {
		t.Errorf("%d bytes are still counted", in)
	}
}

func TestExtismFunctions(t *testing.T) {
	config := map[string]string{"hello": "a value"}
	value := put(localA, x("config_get", copies))
	for name, tt := range map[string]struct {
		body    []byte
		want    Reason
		output  string
		failure string
		code    uint32
	}{
		"echo":                      {wasmtest.Code(echoes, zero), "", "hello", "", 0},
		"a block":                   {wasmtest.Code(put(localA, copies), x("output_set", take(localA), x("length", take(localA))), zero), "", "hello", "", 0},
		"bytes of the input":        {wasmtest.Code(put(localA, x("alloc", long(1))), x("store_u8", take(localA), x("input_load_u8", long(4))), x("output_set", take(localA), long(1)), zero), "", "o", "", 0},
		"words of the input":        {wasmtest.Code(put(localA, x("alloc", long(8))), x("store_u64", take(localA), x("input_load_u64", long(1))), x("output_set", take(localA), long(4)), zero), "", "ello", "", 0},
		"the last output counts":    {wasmtest.Code(x("output_set", x("input_offset"), long(1)), echoes, zero), "", "hello", "", 0},
		"no output":                 {zero, "", "", "", 0},
		"a failure by number":       {wasmtest.Code(echoes, wasmtest.Const(3)), Failed, "", "", 3},
		"a failure with a message":  {wasmtest.Code(echoes, x("error_set", x("input_offset")), zero), Failed, "", "hello", 0},
		"a message that is cleared": {wasmtest.Code(x("error_set", x("input_offset")), x("error_set", long(0)), echoes, zero), "", "hello", "", 0},
		"a variable": {wasmtest.Code(
			x("var_set", copies, x("input_offset")), put(localA, x("var_get", x("alloc", long(1)))), x("output_set", take(localA), x("length", take(localA))), zero,
		), "", "", "", 0},
		"a configuration":      {wasmtest.Code(value, x("output_set", take(localA), x("length", take(localA))), zero), "", "a value", "", 0},
		"none of that name":    {wasmtest.Code(put(localA, x("config_get", x("alloc", long(2)))), x("output_set", take(localA), x("length", take(localA))), zero), "", "", "", 0},
		"a double free":        {wasmtest.Code(put(localA, copies), x("free", take(localA)), x("free", take(localA)), x("alloc", long(5)), x("alloc", long(5)), []byte{0x51, ifOp, wasmtest.Empty, wasmtest.Unreachable, wasmtest.End}, zero), "", "", "", 0},
		"no such block":        {wasmtest.Code(x("free", long(-1)), dropped(x("length", long(1<<40))), dropped(x("length_unsafe", long(3))), zero), "", "", "", 0},
		"a trap after output":  {wasmtest.Code(echoes, []byte{wasmtest.Unreachable}), Trap, "", "", 0},
		"HTTP without a grant": {wasmtest.Code(dropped(x("http_request", copies, long(0))), zero), Failed, "", "", 0},
		"no response yet":      {wasmtest.Code(echoes, dropped(x("http_headers")), x("http_status_code")), "", "hello", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := callPlugin(t, plugin(tt.body), wants{call: Call{Config: config}})
			if got := reasonOf(t, err); got != tt.want {
				t.Fatalf("got %q (%v), want %q", got, err, tt.want)
			}
			if e := (*Error)(nil); errors.As(err, &e) && tt.want == Failed && e.ExitCode != tt.code {
				t.Errorf("the code is %d, want %d", e.ExitCode, tt.code)
			}
			if string(out.Output) != tt.output || string(out.Failure) != tt.failure {
				t.Errorf("output %q and failure %q, want %q and %q", out.Output, out.Failure, tt.output, tt.failure)
			}
		})
	}
}

// A variable exists until its call ends.
func TestExtismVariablesEndWithCall(t *testing.T) {
	name := copies
	show := wasmtest.Code(put(localA, x("var_get", name)), x("output_set", take(localA), x("length", take(localA))))
	m := plugin(x("var_set", name, copies), show, zero)
	addFunc(&m, "look", 0, show, zero)
	addFunc(&m, "remove", 0, x("var_set", name, copies), x("var_set", name, long(0)), show, zero)
	module := load(t, newRuntime(t, Options{}), m.Bytes())
	for _, tt := range []struct{ export, want string }{{"look", ""}, {"call", "hello"}, {"look", ""}, {"call", "hello"}, {"remove", ""}} {
		out := askOK(t, module, wants{call: Call{Entry: Entry{ABI: Extism, Export: tt.export}, Input: []byte("hello")}})
		if string(out.Output) != tt.want {
			t.Errorf("%s: %q, want %q", tt.export, out.Output, tt.want)
		}
	}
}

func TestExtismLogReachesListener(t *testing.T) {
	var got []string
	body := wasmtest.Code(x("log_info", copies), put(localA, copies), x("log_error", take(localA)), dropped(x("get_log_level")))
	// Logging frees the block, so its length is 0 afterwards.
	body = wasmtest.Code(body, x("output_set", x("input_offset"), x("length", take(localA))), zero)
	m := load(t, newRuntime(t, Options{}), plugin(body).Bytes())
	out := askOK(t, m, wants{call: Call{Entry: Entry{ABI: Extism}, Input: []byte("hello")}, adjust: func(b *hostfuncs.Bindings) {
		b.Messages = hostfuncs.NewMessages(hostfuncs.Listener{Log: func(level slog.Level, text string) { got = append(got, level.String()+" "+text) }})
	}})
	if want := []string{"INFO hello", "ERROR hello"}; !reflect.DeepEqual(got, want) || len(out.Output) > 0 {
		t.Errorf("logged %q, wrote %q", got, out.Output)
	}
}

// Standard output is not the output of a plug-in. A plug-in that runs as a command has the exit
// status of a command.
func TestExtismPluginsUseWASI(t *testing.T) {
	// With this variable, Extism's own host would write a plug-in's output to the process's
	// streams.
	t.Setenv("EXTISM_ENABLE_WASI_OUTPUT", "1")
	p := parts{start: wasmtest.Code(writes(1, atName, wasmtest.Const(5)), calls(wasiProcExit, 0)[:len(calls(wasiProcExit, 0))-1])}
	p.call = wasmtest.Code(writes(1, atName, wasmtest.Const(5)), writes(2, atName, wasmtest.Const(5)), zero)
	m := load(t, newRuntime(t, Options{}), p.bytes())
	out := askOK(t, m, wants{call: Call{Entry: Entry{ABI: Extism, Export: "call"}}})
	if len(out.Output) > 0 || string(out.Stderr) != "a.txta.txt" {
		t.Errorf("output %q and diagnostics %q", out.Output, out.Stderr)
	}
	out = askOK(t, m, wants{call: Call{Entry: Entry{ABI: Extism, Export: "_start"}}})
	if len(out.Output) > 0 || string(out.Stderr) != "a.txt" {
		t.Errorf("_start: output %q and diagnostics %q", out.Output, out.Stderr)
	}
	p.call = wasmtest.Code(calls(wasiProcExit, 0)[:len(calls(wasiProcExit, 0))-1], zero)
	m = load(t, newRuntime(t, Options{}), p.bytes())
	if _, err := ask(t, m, wants{call: Call{Entry: Entry{ABI: Extism}}}); reasonOf(t, err) != BadGuest {
		t.Errorf("a function that exits with 0: %v", err)
	}
}

// A plug-in is initialised once and reset to that state for each call, unless its initialisation
// used the call.
func TestExtismStartIsSaved(t *testing.T) {
	requireReuse(t)
	counts := stores(0, loads(0), wasmtest.Const(1), []byte{wasmtest.I32Add})
	tells := func(at int32) []byte { // the output is the byte at an address
		return wasmtest.Code(put(localA, x("alloc", long(1))), x("store_u8", take(localA), loads(at)), x("output_set", take(localA), long(1)))
	}
	for name, tt := range map[string]struct {
		export string
		start  []byte
		want   string
		reused bool
	}{
		"_initialize":             {"_initialize", counts, "\x02", true},
		"constructors":            {"__wasm_call_ctors", counts, "\x02", true},
		"another name":            {"begin", counts, "\x01", true},
		"it looks at its input":   {"_initialize", wasmtest.Code(counts, dropped(x("input_length"))), "\x02", false},
		"it loads from its input": {"_initialize", wasmtest.Code(counts, dropped(x("input_load_u8", long(0)))), "\x02", false},
		"it loads":                {"_initialize", wasmtest.Code(counts, dropped(x("load_u64", long(8)))), "\x02", false},
		"it stores":               {"_initialize", wasmtest.Code(counts, x("store_u64", long(8), long(7))), "\x02", false},
		"it has a block":          {"_initialize", wasmtest.Code(counts, dropped(x("alloc", long(8)))), "\x02", false},
		"it asks for its config":  {"_initialize", wasmtest.Code(counts, dropped(x("config_get", long(0)))), "\x02", false},
	} {
		t.Run(name, func(t *testing.T) {
			m := plugin(counts, tells(0), zero)
			addFunc(&m, tt.export, 1, tt.start)
			module := load(t, newRuntime(t, Options{}), m.Bytes())
			for n := 1; n < 5; n++ {
				out := askOK(t, module, wants{call: Call{Entry: Entry{ABI: Extism}, Input: []byte("hello")}})
				if string(out.Output) != tt.want {
					t.Errorf("call %d: %q, want %q", n, out.Output, tt.want)
				}
				if want := tt.reused && n > 2; out.Reused != want {
					t.Errorf("call %d: reused: %v, want %v", n, out.Reused, want)
				}
			}
		})
	}
}

// The error for a plug-in that cannot be called names what is missing.
func TestInvalidExtismPluginsAreRefused(t *testing.T) {
	m := plugin(zero)
	addFunc(&m, "nothing", 1)
	m.Types = append(m.Types, wasmtest.FuncType{Params: []byte{wasmtest.I64}})
	addFunc(&m, "parameter", uint32(len(m.Types)-1))
	module := load(t, newRuntime(t, Options{}), m.Bytes())
	for _, tt := range []struct {
		abi    ABI
		export string
		want   string // empty if the plug-in can be called
	}{
		{"", "", ""},
		{Extism, "call", ""},
		{"", "nothing", ""},
		{"", "parameter", "has the type (i64) -> (), not () -> i32"},
		{Extism, "missing", "exports no missing; name the function to call in module.entry: call"},
		{Extism, "memory", "is a memory, not a function"},
		{Reactor, "", "write module.abi = \"extism\""},
		{Command, "", "write module.abi = \"extism\""},
	} {
		_, err := module.Entry(tt.abi, tt.export)
		if tt.want == "" && err != nil || tt.want != "" && (reasonOf(t, err) != InvalidModule || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%q %q: %v, want %q", tt.abi, tt.export, err, tt.want)
		}
	}
	begins := plugin(zero)
	begins.Types = append(begins.Types, wasmtest.FuncType{Params: []byte{wasmtest.I32}})
	addFunc(&begins, "_initialize", uint32(len(begins.Types)-1), nil)
	if _, err := load(t, newRuntime(t, Options{}), begins.Bytes()).Entry("", ""); reasonOf(t, err) != InvalidModule {
		t.Errorf("an initialisation with a parameter: %v", err)
	}
	for change, want := range map[string]string{
		"extism:host/user": "alloc, which exists only in the host that the plug-in was written for",
		"lib":              "function lib.alloc",
	} {
		user := plugin(zero)
		user.Imports[0].Module = change
		_, err := newRuntime(t, Options{}).Load(context.Background(), user.Bytes())
		if reasonOf(t, err) != InvalidModule || !strings.Contains(err.Error(), want) {
			t.Errorf("functions of %s: %v", change, err)
		}
	}
}

// Limits, deadline and cancellation apply to plug-ins as to any module.
func TestLimitsApplyToExtismPlugins(t *testing.T) {
	endless := forever(dropped(x("input_length")))
	for name, tt := range map[string]struct {
		body   []byte
		call   Call
		ctx    func(t *testing.T) context.Context
		want   Reason
		limit  Limit
		reason string
	}{
		"fuel":               {body: endless, call: Call{Limits: Limits{Fuel: 1 << 20}}, want: ResourceExhausted, limit: LimitFuel},
		"the deadline":       {body: endless, ctx: soon, want: Timeout},
		"a cancelled call":   {body: endless, ctx: cancelledSoon, want: Cancelled},
		"output":             {body: wasmtest.Code(echoes), call: Call{Limits: Limits{Output: 4}}, want: ResourceExhausted, limit: LimitOutput},
		"output that fits":   {body: wasmtest.Code(echoes), call: Call{Limits: Limits{Output: 5}}},
		"small blocks":       {body: forever(dropped(x("alloc", long(1)))), want: ResourceExhausted, limit: LimitMemory},
		"blocks without end": {body: forever(dropped(x("alloc", long(1<<16)))), want: ResourceExhausted, limit: LimitMemory, reason: "raise limits.memory"},
		"the input":          {call: Call{Input: bytes.Repeat([]byte("x"), 1<<20), Limits: Limits{Memory: 1 << 20}}, want: ResourceExhausted, limit: LimitMemory, reason: "raise limits.memory"},
		"blocks and memory":  {body: wasmtest.Code(dropped(x("alloc", long(1<<19))), dropped(x("alloc", long(1<<19)))), call: Call{Limits: Limits{Memory: 1 << 20}}, want: ResourceExhausted, limit: LimitMemory},
		"memory and blocks":  {body: wasmtest.Code(dropped(x("alloc", long(1<<19))), wasmtest.Const(8), []byte{wasmtest.MemoryGrow, 0}, wasmtest.Const(-1), []byte{i32Eq, ifOp, wasmtest.Empty, wasmtest.Unreachable, wasmtest.End}), call: Call{Limits: Limits{Memory: 1 << 20}}, want: ResourceExhausted, limit: LimitMemory},
		"what just fits":     {body: wasmtest.Code(dropped(x("alloc", long(1<<20-1<<17))))},
		"variables":          {body: wasmtest.Code(put(localA, x("alloc", long(1<<20))), x("var_set", x("input_offset"), take(localA))), want: ResourceExhausted, limit: LimitMemory, reason: "1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if tt.ctx != nil {
				ctx = tt.ctx(t)
			}
			r := newRuntime(t, Options{})
			m := load(t, r, plugin(tt.body, zero).Bytes())
			tt.call.Entry = Entry{ABI: Extism}
			if tt.call.Input == nil {
				tt.call.Input = []byte("hello")
			}
			tt.call.Bindings = bind(t, capability.Grant{})
			_, err := m.Call(ctx, tt.call)
			if got := reasonOf(t, err); got != tt.want {
				t.Fatalf("got %q (%v), want %q", got, err, tt.want)
			}
			if e := (*Error)(nil); errors.As(err, &e) && (e.Limit != tt.limit || !strings.Contains(e.Message, tt.reason)) {
				t.Errorf("met %q: %v", e.Limit, err)
			}
			requireNothingLeft(t, r)
		})
	}
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

func cancelledSoon(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	timer := time.AfterFunc(20*time.Millisecond, cancel)
	t.Cleanup(func() { timer.Stop() })
	return ctx
}

// A call finds nothing that another call left in the memory shared with the host.
func TestExtismMemoryIsClean(t *testing.T) {
	requireReuse(t)
	const far = 5 << 16
	look := func(at int64) []byte { // ends the call if the byte is not 0
		return wasmtest.Code(x("load_u8", long(at)), []byte{ifOp, wasmtest.Empty, wasmtest.Unreachable, wasmtest.End})
	}
	m := load(t, newRuntime(t, Options{}), plugin(
		look(1<<15), dropped(x("alloc", long(far))), look(far), x("store_u8", long(far), wasmtest.Const(7)), x("store_u8", long(1<<15), wasmtest.Const(7)), zero,
	).Bytes())
	var first Output
	for n := range 5 {
		out := askOK(t, m, wants{call: Call{Entry: Entry{ABI: Extism}, Input: []byte("hello")}})
		if n == 0 {
			first = out
		}
		requireEqual(t, out, first, "a further call")
		if out.Reused != (n > 1) {
			t.Errorf("call %d: reused: %v", n, out.Reused)
		}
	}
}

// A plug-in that another process compiled or that comes from the cache runs like any other.
func TestExtismPluginsCompiledElsewhereRun(t *testing.T) {
	small, large := plugin(echoes, zero), plugin(echoes, zero)
	large.Memory = []uint32{2}
	large.Data = []wasmtest.Data{{Bytes: bytes.Repeat([]byte("x"), longFrom)}}
	for name, o := range map[string]Options{
		"nowhere else":             {},
		"in the cache":             {CacheDir: newCacheDir(t)},
		"by a child":               {CompileCommand: workerCommand(t)},
		"by a child for the cache": {CacheDir: newCacheDir(t), CompileCommand: workerCommand(t)},
	} {
		t.Run(name, func(t *testing.T) {
			for n := range 2 {
				compiled := 0
				o.Events.Compile = func(e CompileEvent) {
					if !e.Cached {
						compiled++
					}
				}
				r := newRuntime(t, o)
				for _, m := range []wasmtest.Module{small, large} {
					out := askOK(t, load(t, r, m.Bytes()), wants{call: Call{Entry: Entry{ABI: Extism}, Input: []byte("hello")}})
					if string(out.Output) != "hello" {
						t.Errorf("wrote %q", out.Output)
					}
				}
				if cached := o.CacheDir != "" && n > 0; (compiled == 0) != cached {
					t.Errorf("time %d: %d modules were compiled", n, compiled)
				}
			}
		})
	}
}
