package abi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// V1 is the name under which guests import the functions of docs/abi.md.
// The list is frozen in testdata/abi/v1.json.
const V1 = "wasmtool_v1"

const (
	// MaxErrorText is how many bytes a guest's error text may have; the rest is dropped.
	MaxErrorText = 16 << 10
	// MaxDigested bounds what one call of sha256 takes, in bytes: some 50 ms of the host's,
	// in which the guest's deadline is not looked at.
	MaxDigested = 64 << 20
	// absent is the length that stands for a value that is not there.
	absent = 0xffff_ffff
)

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
	f64 = api.ValueTypeF64
)

// exporter adds functions to a module of the host.
type exporter struct {
	e      *Engine
	module string
	b      wazero.HostModuleBuilder
}

func (e *Engine) exporter(module string) exporter {
	return exporter{e, module, e.runtime.NewHostModuleBuilder(module)}
}

// export exports f, which is called for guests whose call may go on and that paid for the
// sizes. It leaves its result on the stack.
func (x exporter) export(name string, params, results []api.ValueType, f func(a args)) {
	sizes := hostSizes[x.module][name]
	x.b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, mod api.Module, stack []uint64) {
		g := x.e.onGuest(mod)
		g.take(sizes, stack)
		f(args{g, g.current.Load(), mod.Memory(), stack})
	}), params, results).Export(name)
}

// args are the parameters of a function that a guest calls.
type args struct {
	guest *Guest
	call  *Call
	mem   api.Memory
	stack []uint64
}

// taint notes that the function has to do with the call.
func (a args) taint() { a.guest.taintByCall("it uses its call while it starts") }

func (a args) u32(at int) uint32 { return api.DecodeU32(a.stack[at]) }

// bytes returns the memory that a pointer and the length after it name, or ends the call. It
// is the guest's own memory: copy what must outlive the function.
func (a args) bytes(at int) []byte {
	b, ok := a.mem.Read(a.u32(at), a.u32(at+1))
	if !ok {
		a.call.stop(ErrBadRange)
		panic(sys.NewExitError(stopped))
	}
	return b
}

// optional is what bytes returns, or nil for what is absent.
func (a args) optional(at int) []byte {
	if a.u32(at+1) == absent {
		return nil
	}
	return a.bytes(at)
}

// v1Builder holds the functions of V1. All push and pull is the guest's: nothing is
// allocated in it, and nothing it says is believed but for ranges that lie in its memory.
func (e *Engine) v1Builder() wazero.HostModuleBuilder {
	x := v1Exporter{e.exporter(V1)}
	x.inputAndOutput()
	x.talk()
	x.web()
	x.store()
	x.files()
	x.digest()
	return x.b
}

type v1Exporter struct{ exporter }

// function is what the host does for a guest that asks for it. The guest gets the number, or
// the code of the error's fault, which is below 0; fault_read then tells about it.
type function func(a args) (uint32, error)

// add exports f with so many parameters of type i32 and an i32 as its result.
func (x v1Exporter) add(name string, params int, f function) {
	x.addWith(name, slices.Repeat(gives32, params), f)
}

// addWith is add for parameters of any type.
func (x v1Exporter) addWith(name string, params []api.ValueType, f function) {
	x.export(name, params, gives32, func(a args) {
		a.taint()
		a.stack[0] = a.call.Answer(f(a))
	})
}

// Answer returns what a guest gets that asked for something. A guest whose call is over
// meanwhile ends here.
func (c *Call) Answer(n uint32, err error) uint64 {
	if !c.MayGoOn() {
		panic(sys.NewExitError(stopped))
	}
	if err == nil {
		return api.EncodeU32(n)
	}
	c.Fault = faultOf(err)
	return api.EncodeI32(int32(c.Fault.Code))
}

// faultOf is what a guest may know of an error.
func faultOf(err error) *hostfuncs.Error {
	var fault *hostfuncs.Error
	if !errors.As(err, &fault) {
		fault = &hostfuncs.Error{Code: hostfuncs.CodeUnavailable, Kind: "unavailable", Message: "it failed inside wasmtool"}
	}
	return fault
}

func notGranted(message string) *hostfuncs.Error {
	return &hostfuncs.Error{Code: hostfuncs.CodeDenied, Kind: "denied", Message: message}
}

// handOver copies as much of data as fits into the guest's buffer, and returns the length
// of all of it.
func handOver(data, buffer []byte) uint32 {
	copy(buffer, data)
	return uint32(len(data))
}

// number is 1 for what is so, else 0.
func number(is bool) uint32 {
	if is {
		return 1
	}
	return 0
}

// inputAndOutput adds how a reactor gets its input and gives its output.
func (x v1Exporter) inputAndOutput() {
	x.add("input_len", 0, func(a args) (uint32, error) { return uint32(a.call.stdin.Size()), nil })
	x.add("input_read", 2, func(a args) (uint32, error) {
		n, _ := a.call.stdin.Read(a.bytes(0)) // the end reads nothing
		return uint32(n), nil
	})
	x.add("output_write", 2, func(a args) (uint32, error) {
		_, err := a.call.write(a.bytes(0)) // which ends the call when it fails
		return 0, err
	})
	x.add("error_write", 2, func(a args) (uint32, error) {
		a.call.Failure.Write(a.bytes(0))
		return 0, nil
	})
}

// talk adds what a guest tells while it runs, and what it is told of its call.
func (x v1Exporter) talk() {
	x.add("log", 3, func(a args) (uint32, error) {
		if text := a.bytes(1); !a.call.IsWarmUp {
			a.call.Bindings.Messages.Log(hostfuncs.LogLevel(a.u32(0)), text)
		}
		return 0, nil
	})
	x.addWith("progress", []api.ValueType{f64, f64, i32, i32}, func(a args) (uint32, error) {
		if message := a.bytes(2); !a.call.IsWarmUp {
			a.call.Bindings.Messages.Progress(api.DecodeF64(a.stack[0]), api.DecodeF64(a.stack[1]), message)
		}
		return 0, nil
	})
	x.add("update", 2, func(a args) (uint32, error) {
		text := a.bytes(0)
		if a.call.IsWarmUp {
			return 0, nil
		}
		return 0, a.call.Bindings.Messages.Update(text)
	})
	x.add("context_read", 2, func(a args) (uint32, error) {
		about := []byte("{}") // a warm-up serves no call
		if !a.call.IsWarmUp {
			about, _ = json.Marshal(a.call.Bindings.CallInfo()) // of texts and a number, it cannot fail
		}
		return handOver(about, a.bytes(0)), nil
	})
	// The call of a guest whose call was cancelled ends here, as in every function.
	x.add("cancelled", 0, func(args) (uint32, error) { return 0, nil })
	x.add("fault_read", 2, func(a args) (uint32, error) {
		var text []byte
		if a.call.Fault != nil {
			text, _ = json.Marshal(a.call.Fault) // of texts and a truth value, it cannot fail
		}
		return handOver(text, a.bytes(0)), nil
	})
}

// digest adds sha256, for which a guest takes fifty times as long. It says nothing that the
// guest could not work out, so that it may be used before the first call, too.
func (x v1Exporter) digest() {
	x.export("sha256", slices.Repeat(gives32, 4), gives32, func(a args) { a.stack[0] = a.call.Answer(sum256(a)) })
}

func sum256(a args) (uint32, error) {
	data, to := a.bytes(0), a.bytes(2)
	if len(data) > MaxDigested || len(to) < sha256.Size {
		return 0, errDigestTooLarge
	}
	sum := sha256.Sum256(data)
	copy(to, sum[:])
	return sha256.Size, nil
}

var errDigestTooLarge = &hostfuncs.Error{
	Code: hostfuncs.CodeTooMuch, Kind: "too_large",
	Message: "sha256 takes 64 MiB at most and needs 32 bytes for what it gives",
}

// ErrorText keeps the beginning of what a guest writes as its error, and counts the rest.
type ErrorText struct {
	Data    []byte
	Dropped int64
}

func (t *ErrorText) Write(p []byte) {
	kept := min(len(p), MaxErrorText-len(t.Data))
	t.Data = append(t.Data, p[:kept]...)
	t.Dropped += int64(len(p) - kept)
}
