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

// V1 is the module name of the functions in docs/abi.md. testdata/abi/v1.json freezes the list.
const V1 = "wasmtool_v1"

const (
	// MaxErrorText limits a guest's error message in bytes; the rest is dropped.
	MaxErrorText = 16 << 10
	// MaxDigested limits the input of one sha256 call in bytes. The host digests that much in about
	// 50 ms, during which the guest's deadline is not checked.
	MaxDigested = 64 << 20
	// absent is the value of a length if there is no value.
	absent = 0xffff_ffff
)

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
	f64 = api.ValueTypeF64
)

// exporter adds functions to a host module.
type exporter struct {
	e      *Engine
	module string
	b      wazero.HostModuleBuilder
}

func (e *Engine) exporter(module string) exporter {
	return exporter{e, module, e.runtime.NewHostModuleBuilder(module)}
}

// export exports f. f runs only if the guest's call may continue and the guest has paid for the
// sizes. f leaves its result on the stack.
func (x exporter) export(name string, params, results []api.ValueType, f func(a args)) {
	sizes := hostSizes[x.module][name]
	x.b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, mod api.Module, stack []uint64) {
		g := x.e.onGuest(mod)
		g.take(sizes, stack)
		f(args{g, g.current.Load(), mod.Memory(), stack})
	}), params, results).Export(name)
}

// args are the parameters of a host function call.
type args struct {
	guest *Guest
	call  *Call
	mem   api.Memory
	stack []uint64
}

// taint records that the guest used its call during its start.
func (a args) taint() { a.guest.taintByCall(usesCall) }

// usesCall is why a guest is not saved whose start used a function of the host.
const usesCall = "it uses its call during its start"

func (a args) u32(at int) uint32 { return api.DecodeU32(a.stack[at]) }

// bytes returns the memory range of a pointer and the length after it, or ends the call. The result
// is the guest's own memory: copy what must outlive the function.
func (a args) bytes(at int) []byte {
	b, ok := a.mem.Read(a.u32(at), a.u32(at+1))
	if !ok {
		a.call.stop(ErrBadRange)
		panic(sys.NewExitError(stopped))
	}
	return b
}

// optional is like bytes, but returns nil for an absent value.
func (a args) optional(at int) []byte {
	if a.u32(at+1) == absent {
		return nil
	}
	return a.bytes(at)
}

// v1Builder returns the functions of V1. The guest provides all buffers: the host allocates nothing
// in the guest and trusts no range without checking it.
func (e *Engine) v1Builder() wazero.HostModuleBuilder {
	x := v1Exporter{e.exporter(V1)}
	x.inputAndOutput()
	x.messages()
	x.web()
	x.store()
	x.tools()
	x.files()
	x.digest()
	return x.b
}

type v1Exporter struct{ exporter }

// function implements a host function. The guest gets the number, or a negative code if there is an
// error. The guest can then read the error with fault_read.
type function func(a args) (uint32, error)

// add exports f with the given number of i32 parameters and an i32 result.
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

// Answer returns the result of a host function for the guest. It ends a guest whose call must not
// continue.
func (c *Call) Answer(n uint32, err error) uint64 {
	if !c.MayGoOn() {
		panic(sys.NewExitError(stopped))
	}
	if err == nil {
		return api.EncodeU32(n)
	}
	c.LastError = guestError(err)
	return api.EncodeI32(int32(c.LastError.Code))
}

// guestError returns the part of an error that a guest may see.
func guestError(err error) *hostfuncs.Error {
	var fault *hostfuncs.Error
	if !errors.As(err, &fault) {
		fault = &hostfuncs.Error{Code: hostfuncs.CodeUnavailable, Kind: "unavailable", Message: "the operation failed inside wasmtool"}
	}
	return fault
}

func notGranted(message string) *hostfuncs.Error {
	return &hostfuncs.Error{Code: hostfuncs.CodeDenied, Kind: "denied", Message: message}
}

// copyOut copies as much of data as fits into the guest's buffer, and returns the full length.
func copyOut(data, buffer []byte) uint32 {
	copy(buffer, data)
	return uint32(len(data))
}

// number returns 1 for true and 0 for false.
func number(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// inputAndOutput adds the functions for the input and output of a reactor.
func (x v1Exporter) inputAndOutput() {
	x.add("input_len", 0, func(a args) (uint32, error) { return uint32(a.call.stdin.Size()), nil })
	x.add("input_read", 2, func(a args) (uint32, error) {
		n, _ := a.call.stdin.Read(a.bytes(0)) // n is 0 at the end of the input
		return uint32(n), nil
	})
	x.add("output_write", 2, func(a args) (uint32, error) {
		_, err := a.call.write(a.bytes(0)) // a failed write ends the call
		return 0, err
	})
	x.add("error_write", 2, func(a args) (uint32, error) {
		a.call.Failure.Write(a.bytes(0))
		return 0, nil
	})
}

// messages adds the functions by which a guest reports while it runs, and reads information about
// its call.
func (x v1Exporter) messages() {
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
		about := []byte("{}") // a warm-up has no call to describe
		if !a.call.IsWarmUp {
			// Encoding strings and a number cannot fail.
			about, _ = json.Marshal(a.call.Bindings.CallInfo())
		}
		return copyOut(about, a.bytes(0)), nil
	})
	// A cancelled call never gets here: its guest ends before any host function runs.
	x.add("cancelled", 0, func(args) (uint32, error) { return 0, nil })
	x.add("fault_read", 2, func(a args) (uint32, error) {
		var text []byte
		if a.call.LastError != nil {
			text, _ = json.Marshal(a.call.LastError) // encoding strings and a boolean cannot fail
		}
		return copyOut(text, a.bytes(0)), nil
	})
}

// digest adds sha256, because computing it in a guest takes fifty times as long. The result depends
// only on the guest's own data, so it does not taint a guest that calls it during its start.
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
	Message: "sha256 reads at most 64 MiB and needs a buffer of 32 bytes for the digest",
}

// ErrorText stores the beginning of a guest's error message and counts the rest.
type ErrorText struct {
	Data    []byte
	Dropped int64
}

func (t *ErrorText) Write(p []byte) {
	n := min(len(p), MaxErrorText-len(t.Data))
	t.Data = append(t.Data, p[:n]...)
	t.Dropped += int64(len(p) - n)
}
