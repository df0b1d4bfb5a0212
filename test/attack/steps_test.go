package attack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/ledger/history"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// The steps of a call, named as in docs/security.md, each with its worst input. The step must
// refuse the input or stop when its context is done.
var callSteps = map[string]func(t *testing.T){
	"read the message":           stepMessage,
	"accept the call":            stepAccept,
	"describe the tool":          stepDescribe,
	"expand references":          stepExpand,
	"parse the arguments":        stepParse,
	"check the arguments":        stepCheck,
	"judge the script":           stepScript,
	"compute the grant":          stepGrant,
	"evaluate the policy":        stepPolicy,
	"detect loops":               stepLoops,
	"ask for approval":           stepApproval,
	"load the tool":              stepLoad,
	"wait for a slot":            stepSlot,
	"open what is granted":       stepBind,
	"pass the input":             stepInput,
	"run the guest":              stepRun,
	"guest: counts":              stepCounts,
	"guest: files":               stepFiles,
	"guest: requests":            stepRequests,
	"guest: store":               stepStore,
	"guest: log and progress":    stepLogAndProgress,
	"end the guest":              stepEnd,
	"hide secrets":               stepHide,
	"parse the result":           stepResult,
	"check the result":           stepCheckResult,
	"record history and receipt": stepRecord,
	"shorten the result":         stepShorten,
	"write the answer":           stepAnswer,
}

func TestEachStepOfACallIsBounded(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(callSteps)) {
		t.Run(name, callSteps[name])
	}
}

// The list of steps in docs/security.md matches the tested steps.
func TestStepsAreThoseOfTheDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## The steps of a call\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var documented []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \|`).FindAllStringSubmatch(section, -1) {
		if row[1] != "step" && row[1] != "---" {
			documented = append(documented, row[1])
		}
	}
	slices.Sort(documented)
	if tested := slices.Sorted(maps.Keys(callSteps)); !found || !slices.Equal(documented, tested) {
		t.Errorf("docs/security.md has %q, and the test %q", documented, tested)
	}
}

// simple is an executor that calls a function. A nil function returns the arguments.
type simple struct {
	prepare func(ctx context.Context) error
	execute func(ctx context.Context, in tool.Invocation) (tool.Result, error)
}

func (s simple) Prepare(ctx context.Context) error {
	if s.prepare == nil {
		return nil
	}
	return s.prepare(ctx)
}

func (s simple) Execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	if s.execute == nil {
		return tool.Result{Content: []tool.Content{tool.TextContent("done")}}, nil
	}
	return s.execute(ctx, in)
}

func (simple) Close() error { return nil }

// one returns a Registry with one tool; properties are the parameters of the tool.
func one(t *testing.T, o registry.Options, properties string, change func(*tool.Spec), s simple) *registry.Registry {
	t.Helper()
	spec := tool.Spec{
		Name: "tool", Version: "1.0.0", Description: "Is attacked.", Source: "test",
		Parameters: json.RawMessage(`{"type":"object","properties":{` + properties + `}}`),
	}
	if change != nil {
		change(&spec)
	}
	r := registry.New(o)
	t.Cleanup(func() { r.Close() })
	if err := r.Tools().Register(spec, s); err != nil {
		t.Fatal(err)
	}
	return r
}

// callOf returns a call of the tool that the function one registers.
func callOf(arguments string) tool.Call {
	return tool.Call{Tool: "tool", Arguments: json.RawMessage(arguments)}
}

// requireCode calls the tool in a Registry from the function one. It fails the test unless the call
// ends with the code want and, if text is not "", with that text.
func requireCode(t *testing.T, r *registry.Registry, call tool.Call, want tool.Code, text string) tool.Result {
	t.Helper()
	result, err := r.Execute(t.Context(), call)
	if tool.CodeOf(err) != want || err != nil && !strings.Contains(err.Error(), text) {
		t.Errorf("got %.300v, want %s and %q", err, want, text)
	}
	return result
}

func stepMessage(t *testing.T) {
	server := mcpserver.New(one(t, registry.Options{}, "", nil, simple{}), mcpserver.Options{})
	defer server.Close()
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	for _, params := range []string{
		`{"a":1,"a":2}`, deep, "[" + strings.Repeat("1,", 300_000) + "1]", `"` + strings.Repeat("x", 17<<20) + `"`,
	} {
		var out bytes.Buffer
		in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + params + "}\n")
		if err := server.ServeStdio(t.Context(), in, &out); err != nil {
			t.Error(err)
		}
		if !strings.Contains(out.String(), `"code":-32600`) && !strings.Contains(out.String(), `"code":-32700`) {
			t.Errorf("%.40s: %.300s", params, &out)
		}
	}
	// Any number of unknown fields is skipped.
	fields := make([]string, 200_000)
	for i := range fields {
		fields[i] = fmt.Sprintf(`"k%d":{}`, i)
	}
	many := strings.Join(fields, ",")
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping",` + many + "}\n",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"inputResponses":{` + many + "}}}\n",
	} {
		var out bytes.Buffer
		if err := server.ServeStdio(t.Context(), strings.NewReader(message), &out); err != nil || !strings.Contains(out.String(), `"id":1`) {
			t.Errorf("%.40s: %.300s, %v", message, &out, err)
		}
	}
}

func stepAccept(t *testing.T) {
	r := one(t, registry.Options{}, "", nil, simple{})
	call := callOf(`{}`)
	call.Session = strings.Repeat("x", 1<<20)
	requireCode(t, r, call, tool.CodeInvalidArgument, "session")
}

// described is a tool that computes its definition until its context is done.
type described struct{ simple }

func (described) Describe(ctx context.Context, _ capability.Grant) (tool.Definition, error) {
	<-ctx.Done()
	return tool.Definition{}, ctx.Err()
}

func stepDescribe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry.New(registry.Options{})
		defer r.Close()
		spec := tool.Spec{
			Name: "tool", Version: "1.0.0", Description: "Is attacked.", Source: "test",
			Parameters: json.RawMessage(`{"type":"object"}`),
		}
		if err := r.Tools().Register(spec, described{}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		if _, err := r.Execute(ctx, callOf(`{}`)); ctx.Err() != nil {
			t.Errorf("it did not end by itself: %v", err)
		}
	})
}

func stepExpand(t *testing.T) {
	variables := func(context.Context, tool.Call, string) (string, bool) { return "x", true }
	r := one(t, registry.Options{Variables: variables}, `"a":{}`, nil, simple{})
	requireCode(t, r, callOf(`{"a":[`+strings.Repeat(`"${a}",`, 100_000)+`1]}`), tool.CodeInvalidArgument, "references to results and variables")
	long := func(context.Context, tool.Call, string) (string, bool) { return strings.Repeat("x", 1<<20), true }
	r = one(t, registry.Options{Variables: long}, `"a":{}`, nil, simple{})
	requireCode(t, r, callOf(`{"a":[`+strings.Repeat(`"${a}",`, 900)+`1]}`), tool.CodeInvalidArgument, "too long")
}

func stepParse(t *testing.T) {
	r := one(t, registry.Options{}, `"a":{}`, nil, simple{})
	for text, args := range map[string]string{
		"values":  `{"a":[` + strings.Repeat("1,", jsontree.MaxValues) + `1]}`,
		"levels":  `{"a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`,
		"bytes":   `{"a":"` + strings.Repeat("x", jsontree.MaxBytes) + `"}`,
		"1024":    `{"a":1e999999999}`,
		"twice":   `{"a":1,"a":2}`,
		"longer ": `{"a":` + strings.Repeat("9", 1<<20) + `}`,
	} {
		requireCode(t, r, callOf(args), tool.CodeInvalidArgument, text)
	}
}

func stepCheck(t *testing.T) {
	many := `{"a":[` + strings.Repeat("1e1000,", 250_000) + `1]}`
	r := one(t, registry.Options{}, `"a":{"items":{"allOf":[{"multipleOf":3e-300},{"multipleOf":7e-300}]}}`, nil, simple{})
	requireCode(t, r, callOf(many), tool.CodeInvalidArgument, "too much work")
	call := callOf(many)
	call.Timeout = 1
	requireCode(t, r, call, tool.CodeTimeout, "checking the arguments")
}

func stepScript(t *testing.T) {
	r := one(t, registry.Options{}, `"a":{"type":"string"}`, func(s *tool.Spec) { s.Shell = "a" }, simple{})
	for _, script := range []string{
		strings.Repeat("a;", 1<<20), strings.Repeat("(", 100_000), strings.Repeat("ls;", 2000), strings.Repeat("eval ", 50) + "ls",
	} {
		requireCode(t, r, callOf(fmt.Sprintf(`{"a":%q}`, script)), tool.CodePermissionDenied, "make it shorter")
	}
	// Each name could begin an assignment with an index that is never closed.
	indexed := "x='" + strings.Repeat("PATH[)", 30_000) + "'; echo $((x))"
	requireCode(t, r, callOf(fmt.Sprintf(`{"a":%q}`, indexed)), tool.CodeApprovalRequired, "")
}

// The input of a call does not affect the work to compute its grant, and the size of manifests is
// limited.
func stepGrant(t *testing.T) {
	text := "manifest = 1\nname = \"a\"\nversion = \"1.0.0\"\ndescription = \"Asks.\"\nmodule.path = \"a.wasm\"\n"
	for i := range 1000 {
		text += fmt.Sprintf("[[permissions.net]]\nurl = \"https://host%d.example/\"\n", i)
	}
	if _, err := manifests.Decode("tool.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), "64") {
		t.Errorf("got %.300v", err)
	}
}

func stepPolicy(t *testing.T) {
	p, err := policy.Compile(policy.Config{Rules: []policy.Rule{{
		Effect: policy.Ask, Arguments: map[string]policy.Match{"/a/*": {Regexp: "(a|b)*c" + strings.Repeat("(d|e)?", 100)}},
	}}}, policy.Known{})
	if err != nil {
		t.Fatal(err)
	}
	r := one(t, registry.Options{Rules: registry.Rules{Policy: p}}, `"a":{}`, nil, simple{})
	requireCode(t, r, callOf(`{"a":[`+strings.Repeat(`"`+strings.Repeat("a", 1000)+`",`, 2000)+`1]}`), tool.CodePermissionDenied, "too large to be compared")
}

// The keys that are kept to compare calls do not grow with the value of numbers.
func stepLoops(t *testing.T) {
	args := []byte(`[` + strings.Repeat("1e1000,", 250_000) + `1]`)
	v, err := jsontree.Parse(args, jsontree.Document("the arguments"))
	key := v.Key()
	if err != nil || len(key) > 2*len(args) || len(history.HashJSON(args)) != 64 {
		t.Errorf("%d bytes for %d, %v", len(key), len(args), err)
	}
}

func stepApproval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := registry.ApproverFunc(func(ctx context.Context, _ registry.Question) (registry.Answer, error) {
			<-ctx.Done()
			return registry.Answer{}, ctx.Err()
		})
		r := one(t, registry.Options{Approvals: registry.ApprovalOptions{Approver: silent}}, `"a":{}`, func(s *tool.Spec) { s.Dangerous = true }, simple{})
		requireCode(t, r, callOf(`{"a":"`+strings.Repeat("x", 1<<20)+`"}`), tool.CodeApprovalRequired, "in time")
	})
}

func untilDone(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func stepLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requireCode(t, one(t, registry.Options{}, "", nil, simple{prepare: untilDone}), callOf(`{}`), tool.CodeTimeout, "not loaded")
	})
}

func stepSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		r := one(t, registry.Options{Schedule: schedule.Options{MaxCalls: 1}}, "", nil, simple{execute: func(context.Context, tool.Invocation) (tool.Result, error) {
			<-end
			return tool.Result{Content: []tool.Content{tool.TextContent("done")}}, nil
		}})
		first := make(chan error, 1)
		go func() {
			call := callOf(`{}`)
			call.Timeout = time.Hour
			_, err := r.Execute(context.Background(), call)
			first <- err
		}()
		synctest.Wait()
		requireCode(t, r, callOf(`{}`), tool.CodeResourceExhausted, "could not start")
		close(end)
		if err := <-first; err != nil {
			t.Error(err)
		}
	})
}

// guest is a command that runs code. The code may call fd_read of WASI as function 0.
func guest(t *testing.T, code ...[]byte) *runtime.Module {
	t.Helper()
	i := byte(wasmtest.I32)
	m := wasmtest.Module{
		Types:   []wasmtest.FuncType{{}, {Params: []byte{i, i, i, i}, Results: []byte{i}}},
		Imports: []wasmtest.Import{{Module: "wasi_snapshot_preview1", Name: "fd_read", Type: 1}},
		Memory:  []uint32{200},
		Exports: []wasmtest.Export{{Name: "memory", Kind: 2}, {Name: "_start", Index: 1}},
		Funcs:   []wasmtest.Func{{Type: 0, Body: wasmtest.Code(code...)}},
	}
	r := runtime.New(runtime.Options{})
	t.Cleanup(func() { r.Close() })
	module, err := r.Load(t.Context(), m.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { module.Close() })
	return module
}

// requireEnd fails the test unless a call of a guest ends for the given reason.
func requireEnd(t *testing.T, ctx context.Context, m *runtime.Module, limits runtime.Limits, want runtime.Reason) runtime.Output {
	t.Helper()
	bindings, err := hostfuncs.Bind(capability.Grant{}, files.Options{}, hostfuncs.Services{})
	if err != nil {
		t.Fatal(err)
	}
	defer bindings.Close()
	out, err := m.Call(ctx, runtime.Call{Bindings: bindings, Limits: limits, Input: make([]byte, 1<<20)})
	var e *runtime.Error
	if errors.As(err, &e); err == nil && want != "" || err != nil && (e == nil || e.Reason != want) {
		t.Errorf("got %v, want %q", err, want)
	}
	return out
}

var forEver = []byte{0x03, wasmtest.Empty, 0x0c, 0, wasmtest.End} // loop, br 0

func done() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// A call whose context is done opens nothing and starts no guest.
func stepBind(t *testing.T) {
	l := newLab(t, setup{})
	if _, err := l.tools.Execute(done(), script("script")); tool.CodeOf(err) != tool.CodeCancelled {
		t.Errorf("got %v", err)
	}
}

// The host does not copy the input into the guest; the guest reads as much as it has room for.
func stepInput(t *testing.T) {
	out := requireEnd(t, t.Context(), guest(t, read(1)), runtime.Limits{}, "")
	if out.Memory > 200<<16 {
		t.Errorf("the guest has %d bytes", out.Memory)
	}
}

// read returns code that calls fd_read with the given number of empty buffers.
func read(pieces int32) []byte {
	return wasmtest.Code(wasmtest.Const(0), wasmtest.Const(64), wasmtest.Const(pieces), wasmtest.Const(8), wasmtest.CallFunc(0), []byte{wasmtest.Drop})
}

func stepRun(t *testing.T) {
	m := guest(t, forEver)
	requireEnd(t, t.Context(), m, runtime.Limits{Fuel: 1 << 24}, runtime.ResourceExhausted)
	requireEnd(t, done(), m, runtime.Limits{}, runtime.Cancelled)
}

func stepCounts(t *testing.T) {
	few := requireEnd(t, t.Context(), guest(t, read(1)), runtime.Limits{}, "").Fuel
	most := requireEnd(t, t.Context(), guest(t, read(1024)), runtime.Limits{}, "").Fuel
	beyond := requireEnd(t, t.Context(), guest(t, read(1<<20)), runtime.Limits{}, "").Fuel
	if most < few+1023*16 || beyond > few {
		t.Errorf("one piece costs %d, 1024 cost %d, and more, which are refused, %d", few, most, beyond)
	}
}

func stepFiles(t *testing.T) {
	folder := t.TempDir()
	b, err := hostfuncs.Bind(capability.Grant{FS: []capability.GrantedFS{{
		FS: capability.FS{Mount: "data", Mode: capability.ModeWrite}, Dir: folder,
	}}}, files.Options{MaxCreated: 3}, hostfuncs.Services{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	view := b.Files.View("/data")
	for i := range 5 {
		err := view.Mkdir(fmt.Sprint("folder", i))
		if (err == nil) != (i < 3) {
			t.Errorf("directory %d: %v", i, err)
		}
	}
	if _, err := view.Stat(strings.Repeat("a/", 1<<20)); err == nil {
		t.Error("a path of 2 MiB is accepted")
	}
}

func stepRequests(t *testing.T) {
	w := newWorld(t, hello)
	l := newLab(t, setup{tools: map[string]string{"script": "limits.http_requests = 3\n" + anywhereAsked}, operator: anywhereGiven, http: w.options()})
	for i, out := range l.play(t, get("http://example.com/"), get("http://example.com/"), get("http://example.com/"), get("http://example.com/")) {
		if (out.Code > 0) != (i < 3) {
			t.Errorf("request %d: %+v", i, out)
		}
	}
	long := request("GET", "http://example.com/", "X-Long", strings.Repeat("x", hostfuncs.MaxRequestHead))
	if out := l.play(t, long)[0]; out.Code != int32(hostfuncs.CodeTooMuch) {
		t.Errorf("a long head: %+v", out)
	}
}

func stepStore(t *testing.T) {
	l := newLab(t, setup{
		tools:    map[string]string{"script": "[permissions]\nkv = \"write\"\n"},
		operator: "[tools.script]\nauto_execute = true\nallow = [\"kv:write\"]\n",
	})
	long := strings.Repeat("k", 1<<20)
	for _, out := range l.play(t, step{Do: "put", Text: long, More: ptr("x")}, step{Do: "get", Text: long}, step{Do: "put", Text: "k", More: ptr(strings.Repeat("v", 4<<20))}) {
		if out.Code != int32(hostfuncs.CodeTooMuch) {
			t.Errorf("got %+v", out)
		}
	}
}

func stepLogAndProgress(t *testing.T) {
	lines, size := 0, 0
	talk := hostfuncs.NewMessages(hostfuncs.Listener{
		Log: func(_ slog.Level, text string) { lines, size = lines+1, size+len(text) },
	})
	for range 5000 {
		talk.Log(0, bytes.Repeat([]byte{0xff}, 64<<10))
	}
	if lines > hostfuncs.MaxLogLines+1 || size > 2*hostfuncs.MaxLogBytes {
		t.Errorf("%d lines of %d bytes", lines, size)
	}
	if err := talk.Update(make([]byte, 1<<20)); err == nil {
		t.Error("an update of 1 MiB is accepted")
	}
}

// A guest is stopped when its context is done, and its output is limited.
func stepEnd(t *testing.T) {
	l := newLab(t, setup{tools: map[string]string{"script": "limits.output = \"64KiB\"\n"}})
	_, err := l.execute(t, script("script", step{Do: "say", Text: strings.Repeat("x", 1<<20)}))
	if tool.CodeOf(err) != tool.CodeResourceExhausted {
		t.Errorf("got %v", err)
	}
}

// The search for a long secret in many short strings stops when the context is done. Then none of
// the strings is shown.
func stepHide(t *testing.T) {
	text := []byte("[" + strings.Repeat(`"\n",`, 200_000) + "1]")
	hide := secret.NewScrubber(map[string]string{"TOKEN": strings.Repeat("\nA", 1000)})
	if got, err := hide.JSON(t.Context(), text); err != nil || !bytes.Equal(got, text) {
		t.Errorf("the text was changed: %v", err)
	}
	if got, err := hide.JSON(done(), text); got != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %d bytes and %v after the end", len(got), err)
	}
}

func stepResult(t *testing.T) {
	for name, text := range map[string]string{
		"values": `{"structured":[` + strings.Repeat("1,", jsontree.MaxValues) + `1]}`,
		"levels": `{"structured":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`,
		"bytes":  `{"content":"` + strings.Repeat("x", jsontree.MaxBytes) + `"}`,
	} {
		if _, err := tool.ParseResult([]byte(text)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %.300v", name, err)
		}
	}
}

func stepCheckResult(t *testing.T) {
	gives := func(result tool.Result, wait bool) simple {
		return simple{execute: func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
			if wait {
				<-ctx.Done()
			}
			return result, nil
		}}
	}
	declares := func(s *tool.Spec) {
		s.Result = json.RawMessage(`{"items":{"allOf":[{"multipleOf":3e-300},{"multipleOf":7e-300}]}}`)
	}
	many := tool.Result{
		Content:    []tool.Content{tool.TextContent("many")},
		Structured: json.RawMessage(`[` + strings.Repeat("1e1000,", 250_000) + `1]`),
	}
	requireCode(t, one(t, registry.Options{}, "", declares, gives(many, false)), callOf(`{}`), tool.CodeInvalidOutput, "too much work")
	blocks := tool.Result{Content: slices.Repeat([]tool.Content{tool.TextContent("x")}, 1<<20)}
	requireCode(t, one(t, registry.Options{}, "", nil, gives(blocks, false)), callOf(`{}`), tool.CodeInvalidOutput, "blocks")
	synctest.Test(t, func(t *testing.T) {
		requireCode(t, one(t, registry.Options{}, "", declares, gives(many, true)), callOf(`{}`), tool.CodeTimeout, "no result within")
	})
}

// The size of a receipt does not depend on the arguments and the result of the call.
func stepRecord(t *testing.T) {
	var receipts []tool.Receipt
	text := strings.Repeat("x", 4<<20)
	o := registry.Options{Calls: ledger.Options{OnReceipt: func(r tool.Receipt) { receipts = append(receipts, r) }}}
	r := one(t, o, `"a":{}`, nil, simple{execute: func(context.Context, tool.Invocation) (tool.Result, error) {
		return tool.Result{Content: []tool.Content{tool.TextContent(text)}}, nil
	}})
	call := callOf(`{"a":"` + text + `"}`)
	call.Session = "s"
	requireCode(t, r, call, "", "")
	kept, err := json.Marshal(receipts)
	if err != nil || len(kept) > 4096 {
		t.Errorf("%d bytes, %v", len(kept), err)
	}
	for _, record := range r.Calls().History("", "s", 0) {
		if len(record.Parameters) > history.MaxParameters {
			t.Errorf("%d bytes of parameters are kept", len(record.Parameters))
		}
	}
}

func stepShorten(t *testing.T) {
	r := one(t, registry.Options{Calls: ledger.Options{MaxText: 1000}}, "", nil, simple{execute: func(context.Context, tool.Invocation) (tool.Result, error) {
		return tool.Result{Content: []tool.Content{tool.TextContent(strings.Repeat("\n", 8<<20))}}, nil
	}})
	if result := requireCode(t, r, callOf(`{}`), "", ""); len(result.Text()) > 2000 {
		t.Errorf("%d bytes are left", len(result.Text()))
	}
}

// A structured value that the text already contains is not sent twice.
func stepAnswer(t *testing.T) {
	value := `{"a":"` + strings.Repeat("x", 1<<20) + `"}`
	r := one(t, registry.Options{}, "", func(s *tool.Spec) { s.Name = "tool" }, simple{execute: func(context.Context, tool.Invocation) (tool.Result, error) {
		return tool.Result{Content: []tool.Content{tool.TextContent(value)}, Structured: json.RawMessage(value)}, nil
	}})
	server := mcpserver.New(r, mcpserver.Options{})
	defer server.Close()
	in := strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool","arguments":{}}}
`)
	var out bytes.Buffer
	if err := server.ServeStdio(t.Context(), in, &out); err != nil {
		t.Fatal(err)
	}
	if out.Len() < 1<<20 || out.Len() > 5<<19 {
		t.Errorf("the answer has %d bytes", out.Len())
	}
}
