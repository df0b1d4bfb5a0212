package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// The modules from which Extism plug-ins import: what every host provides, and what each
// host makes up, of which there is nothing here.
const (
	extismModule     = "extism:host/env"
	extismUserModule = "extism:host/user"
)

const i64 = api.ValueTypeI64

// Causes of calls that end because of what a plug-in asked its kernel for.
var (
	errKernelFull    = errors.New("the plug-in's blocks are beyond the memory limit")
	errAllMemoryFull = errors.New("all guests together have the memory that they may")
	errVarsFull      = errors.New("the plug-in's variables are beyond their limit")
)

// webFailure is the cause of a call whose plug-in sent a request that failed: the ABI
// has no way to tell the plug-in.
type webFailure struct{ message string }

func (f *webFailure) Error() string { return "the HTTP request failed: " + f.message }

// importsExtism reports whether a module is an Extism plug-in.
func importsExtism(report *rewrite.Report) bool {
	for _, imp := range report.Imports {
		if imp.Module == extismModule {
			return true
		}
	}
	return false
}

// extismBuilder holds the functions of extismModule.
func (e *engine) extismBuilder() wazero.HostModuleBuilder {
	b := e.runtime.NewHostModuleBuilder(extismModule)
	x := extismExporter{e, b}
	x.memory()
	x.inputAndOutput()
	x.talk()
	x.vars()
	x.web()
	return b
}

type extismExporter struct {
	e *engine
	b wazero.HostModuleBuilder
}

// add exports f, which finds its parameters on the stack and leaves its result there.
func (x extismExporter) add(name string, f func(k *kernel, stack []uint64), results []api.ValueType, params ...api.ValueType) {
	x.b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, mod api.Module, stack []uint64) {
		// An instance of this ABI serves one call, and its kernel is there from the start.
		f(x.e.onGuest(mod).current.Load().kernel, stack)
	}), params, results).Export(name)
}

var (
	noResult = []api.ValueType(nil)
	gives32  = []api.ValueType{i32}
	gives64  = []api.ValueType{i64}
)

func (x extismExporter) memory() {
	length := func(k *kernel, stack []uint64) { stack[0] = k.length(stack[0]) }
	x.add("alloc", func(k *kernel, stack []uint64) { stack[0] = k.alloc(stack[0]) }, gives64, i64)
	x.add("free", func(k *kernel, stack []uint64) { k.release(stack[0]) }, noResult, i64)
	x.add("length", length, gives64, i64)
	x.add("length_unsafe", length, gives64, i64)
	x.add("load_u8", func(k *kernel, stack []uint64) { stack[0] = uint64(k.span(stack[0], 1)[0]) }, gives32, i64)
	x.add("load_u64", func(k *kernel, stack []uint64) { stack[0] = k.load64(stack[0]) }, gives64, i64)
	x.add("store_u8", func(k *kernel, stack []uint64) { k.span(stack[0], 1)[0] = byte(stack[1]) }, noResult, i64, i32)
	x.add("store_u64", func(k *kernel, stack []uint64) { k.store64(stack[0], stack[1]) }, noResult, i64, i64)
}

func (x extismExporter) inputAndOutput() {
	x.add("input_offset", func(k *kernel, stack []uint64) { stack[0] = k.input }, gives64)
	x.add("input_length", func(k *kernel, stack []uint64) { stack[0] = k.inputLen }, gives64)
	x.add("input_load_u8", func(k *kernel, stack []uint64) { stack[0] = uint64(k.span(k.inputAt(stack[0]), 1)[0]) }, gives32, i64)
	x.add("input_load_u64", func(k *kernel, stack []uint64) { stack[0] = k.load64(k.inputAt(stack[0])) }, gives64, i64)
	x.add("output_set", func(k *kernel, stack []uint64) { k.setOutput(stack[0], stack[1]) }, noResult, i64, i64)
	x.add("error_set", func(k *kernel, stack []uint64) {
		k.s.failure = errorText{}
		k.s.failure.Write(k.block(stack[0]))
	}, noResult, i64)
}

func (x extismExporter) talk() {
	for name, level := range map[string]slog.Level{
		"log_trace": slog.LevelDebug, "log_debug": slog.LevelDebug, "log_info": slog.LevelInfo,
		"log_warn": slog.LevelWarn, "log_error": slog.LevelError,
	} {
		x.add(name, func(k *kernel, stack []uint64) {
			k.s.call.Bindings.Talk.Log(level, k.block(stack[0]))
			k.release(stack[0]) // plug-ins count on it
		}, noResult, i64)
	}
	// Everything is asked for, as the listener chooses.
	x.add("get_log_level", func(_ *kernel, stack []uint64) { stack[0] = 0 }, gives32)
}

func (x extismExporter) vars() {
	// There is no configuration: what a plug-in may know is in its grant.
	x.add("config_get", func(_ *kernel, stack []uint64) { stack[0] = 0 }, gives64, i64)
	x.add("var_get", func(k *kernel, stack []uint64) { stack[0] = k.put(k.vars[string(k.block(stack[0]))]) }, gives64, i64)
	x.add("var_set", func(k *kernel, stack []uint64) {
		var value []byte
		if stack[1] != 0 {
			value = k.block(stack[1])
		}
		k.setVar(string(k.block(stack[0])), value)
	}, noResult, i64, i64)
}

func (x extismExporter) web() {
	x.add("http_request", func(k *kernel, stack []uint64) {
		body, err := k.request(k.block(stack[0]), k.block(stack[1]))
		if !k.s.mayGoOn() {
			k.end(errOver) // the reason is noted already
		}
		if err != nil {
			var fault *hostfuncs.Fault
			message := "it failed inside wasmtool"
			if errors.As(err, &fault) {
				message = fault.Message
			}
			k.end(&webFailure{message})
		}
		stack[0] = k.put(body)
	}, gives64, i64, i64)
	x.add("http_status_code", func(k *kernel, stack []uint64) { stack[0] = uint64(k.status) }, gives32)
	x.add("http_headers", func(k *kernel, stack []uint64) { stack[0] = k.put(k.headers) }, gives64)
}

// request sends a request as Extism writes it and returns the body of the response.
func (k *kernel) request(head, body []byte) ([]byte, error) {
	w := k.s.call.Bindings.Web
	if w == nil {
		return nil, notGranted("no request may be sent; the manifest asks for it with [[permissions.net]], and only the operator grants it")
	}
	ours, err := extismRequest(head)
	if err != nil {
		return nil, err
	}
	if len(body) > maxRequestBody {
		return nil, &hostfuncs.Fault{Code: hostfuncs.FaultTooMuch, Kind: "too_large", Message: "the body of the request is too large"}
	}
	handle, err := w.Request(k.s.hostContext(), ours, body)
	if err != nil {
		return nil, err
	}
	defer func() { _ = w.CloseResponse(handle) }()
	if head, err = w.Head(handle); err != nil {
		return nil, err
	}
	if err := k.keepHead(head); err != nil {
		return nil, err
	}
	var all []byte
	piece := make([]byte, 32<<10)
	for {
		n, err := w.Read(handle, piece)
		if err != nil || n == 0 {
			return all, err
		}
		if uint64(len(all)+n) > k.s.limits.Memory {
			k.end(errKernelFull)
		}
		all = append(all, piece[:n]...)
	}
}

// extismRequest turns the head of a request into one of our own.
func extismRequest(head []byte) ([]byte, error) {
	bad := &hostfuncs.Fault{Code: hostfuncs.FaultInvalid, Kind: "url", Message: "the plug-in's request is not the JSON object that Extism describes, or too large"}
	if len(head) > hostfuncs.MaxRequestHead {
		return nil, bad
	}
	var theirs struct {
		URL     string            `json:"url"`
		Method  string            `json:"method"`
		Headers map[string]string `json:"headers"`
	}
	if err := json.Unmarshal(head, &theirs); err != nil {
		return nil, bad
	}
	if theirs.Method == "" {
		theirs.Method = "GET"
	}
	pairs := [][2]string{}
	for _, name := range sortedKeys(theirs.Headers) {
		pairs = append(pairs, [2]string{name, theirs.Headers[name]})
	}
	return json.Marshal(map[string]any{"method": theirs.Method, "url": theirs.URL, "headers": pairs})
}

// keepHead keeps status and headers of a response: names in lower case, values of equal
// names joined.
func (k *kernel) keepHead(head []byte) error {
	var ours struct {
		Status  uint32      `json:"status"`
		Headers [][2]string `json:"headers"`
	}
	if err := json.Unmarshal(head, &ours); err != nil {
		return err
	}
	joined := make(map[string]string)
	for _, pair := range ours.Headers {
		name := strings.ToLower(pair[0])
		if before, ok := joined[name]; ok {
			pair[1] = before + ", " + pair[1]
		}
		joined[name] = pair[1]
	}
	text, err := json.Marshal(joined)
	k.status, k.headers = ours.Status, text
	return err
}
