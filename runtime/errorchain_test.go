package runtime

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/errtree"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/compile"
	"github.com/wasmtool/wasmtool/runtime/internal/pool"
)

// sentinels are errors that programs test with errors.Is.
var sentinels = []error{
	context.Canceled, context.DeadlineExceeded,
	io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, io.ErrShortWrite, io.ErrNoProgress,
	fs.ErrInvalid, fs.ErrPermission, fs.ErrExist, fs.ErrNotExist, fs.ErrClosed,
	os.ErrDeadlineExceeded, os.ErrProcessDone, os.ErrNoDeadline,
	net.ErrClosed, exec.ErrNotFound, errors.ErrUnsupported,
	syscall.ENOENT, syscall.EINVAL, syscall.EPERM, syscall.EINTR, syscall.ENOSYS,
	files.ErrReadOnly, files.ErrOutside, files.ErrLimit, files.ErrUnsupported, files.ErrIO, files.ErrTooManyOpen,
	ErrUnsafeCache,
	abi.ErrClosed, abi.ErrFuelUsed, abi.ErrOutputFull, abi.ErrBadRange, abi.ErrOver, abi.ErrNoMemory, abi.ErrKernelFull, abi.ErrVarsFull,
	pool.ErrCold, pool.ErrEnginePanic, pool.ErrNoTurn, compile.ErrScratch,
}

// special are exit codes with a meaning elsewhere: the engine's codes for contexts, the codes of
// shells, and values at the ends of integer ranges.
var special = []uint32{
	sys.ExitCodeContextCanceled, sys.ExitCodeDeadlineExceeded,
	256, 257, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xfffffffd,
	0xeffffffe, 0xf0000000, 0xdfffffff, 0xdeadbeef, 0xc0000005,
}

// wantOnly fails the test if errors.Is or errors.As find an error that is not the error known, or
// if the chain contains an error of the engine.
func wantOnly(t *testing.T, what string, err error, known ...error) {
	t.Helper()
	if found := errtree.From(err, errtree.Engine); found != nil {
		t.Errorf("%s: has errors of the engine: %q", what, found)
	}
	for _, sentinel := range sentinels {
		want := false
		for _, k := range known {
			want = want || errors.Is(k, sentinel)
		}
		if errors.Is(err, sentinel) != want {
			t.Errorf("%s: errors.Is(%v, %v) is %t", what, err, sentinel, !want)
		}
	}
	var (
		exit  *sys.ExitError
		path  *fs.PathError
		link  *os.LinkError
		call  *os.SyscallError
		errno syscall.Errno
		op    *net.OpError
		ended *exec.ExitError
	)
	for _, target := range []any{&exit, &path, &link, &call, &errno, &op, &ended} {
		if errors.As(err, target) {
			t.Errorf("%s: errors.As(%v, %T)", what, err, target)
		}
	}
	if err != nil && !errors.As(err, new(*Error)) {
		t.Errorf("%s: %T is not an *Error", what, err)
	}
}

// exitsWithInput exits with the code in the first four bytes of the input.
func exitsWithInput() []byte {
	return wasmtest.Code(reads(), loads(atInput), wasmtest.CallFunc(wasiProcExit))
}

// No exit code that a guest chooses is mistaken for something that the host observed.
func TestExitCodesAreNotErrorsOfHost(t *testing.T) {
	codes := special
	for code := range uint32(256) {
		codes = append(codes, code)
	}
	r := newRuntime(t, Options{})
	command := load(t, r, parts{start: exitsWithInput()}.bytes())
	for _, code := range codes {
		input := binary.LittleEndian.AppendUint32(nil, code)
		_, err := ask(t, command, wants{call: Call{Input: input}})
		wantOnly(t, fmt.Sprintf("exit code %#x", code), err)
		if e := (*Error)(nil); code == 0 && err != nil || code != 0 && (!errors.As(err, &e) || e.Reason != Failed || e.ExitCode != code) {
			t.Errorf("exit code %#x: got %v", code, err)
		}
	}
	// These guests call proc_exit where a guest must not, or before the call begins.
	for _, code := range append([]uint32{0, 1}, special...) {
		exit := wasmtest.Code(wasmtest.Const(int32(code)), wasmtest.CallFunc(wasiProcExit))
		end := wasmtest.Const(0)
		for name, p := range map[string]parts{
			"a start section": {section: exit, start: []byte{}},
			"a reactor":       {call: wasmtest.Code(exit, end)},
			"initialisation":  {initialize: exit, call: end},
		} {
			m := load(t, r, p.bytes())
			entry := Entry{}
			if p.call != nil {
				entry.ABI = Reactor
			}
			_, err := ask(t, m, wants{call: Call{Entry: entry, Input: []byte("?")}})
			wantOnly(t, fmt.Sprintf("%s with exit code %#x", name, code), err)
			_ = m.Close()
		}
	}
}

// panickingWith is a clock that panics with an error, like a faulty host function.
type panickingWith struct {
	hostfuncs.Clock
	err error
}

func (c panickingWith) Now() time.Time { panic(c.err) }

// The error chain of every call contains what the host observed, and no error of the engine.
func TestErrorChainsContainOnlyHostErrors(t *testing.T) {
	r := newRuntime(t, Options{})
	trap := parts{start: []byte{wasmtest.Unreachable}}.bytes()
	clock := parts{start: now(atMoment)}.bytes()
	deep := parts{start: calls0(recursion, 1<<30)}.bytes()
	grow := parts{start: wasmtest.Code(wasmtest.Const(100), []byte{wasmtest.MemoryGrow, 0, wasmtest.Drop, wasmtest.Unreachable})}.bytes()
	loop := command()
	loop.Funcs[0].Body = forever()
	panics := func(err error) wants {
		return wants{grant: capability.Grant{Clock: true}, adjust: func(b *hostfuncs.Bindings) { b.Clock = panickingWith{b.Clock, err} }}
	}
	for name, tt := range map[string]struct {
		module []byte
		w      wants
		want   Reason
		known  []error
	}{
		"a trap":                        {trap, wants{}, Trap, nil},
		"a stack that is full":          {deep, wants{}, ResourceExhausted, nil},
		"fuel that is used":             {loop.Bytes(), wants{call: Call{Limits: Limits{Fuel: 1 << 20}}}, ResourceExhausted, []error{abi.ErrFuelUsed}},
		"memory that is refused":        {grow, wants{call: Call{Limits: Limits{Memory: 1 << 20}}}, ResourceExhausted, nil},
		"a host that panics":            {clock, panics(errors.New("a fault")), Internal, nil},
		"a host that panics: deadline":  {clock, panics(context.DeadlineExceeded), Internal, nil},
		"a host that panics: cancelled": {clock, panics(fmt.Errorf("wrapped: %w", context.Canceled)), Internal, nil},
		"a host that panics: not there": {clock, panics(&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}), Internal, nil},
	} {
		_, err := ask(t, load(t, r, tt.module), tt.w)
		wantOnly(t, name, err, tt.known...)
		if got := reasonOf(t, err); got != tt.want {
			t.Errorf("%s: %s (%v), want %s", name, got, err, tt.want)
		}
	}

	m := load(t, r, loop.Bytes())
	b := bind(t, capability.Grant{})
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Hour))
	defer cancel()
	_, err := m.Call(late, Call{Bindings: b})
	wantOnly(t, "a deadline", err, context.DeadlineExceeded)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = m.Call(gone, Call{Bindings: b})
	wantOnly(t, "a call that is cancelled", err, context.Canceled)
	_, err = r.Load(gone, trap)
	if err != nil { // nil if Load found the module already loaded
		wantOnly(t, "a load that is cancelled", err, context.Canceled)
	}

	for name, module := range map[string][]byte{
		"no module": []byte("no module"), "half of one": trap[:len(trap)-3], "none at all": nil,
		"an import that does not exist": wasmtest.Module{Types: []wasmtest.FuncType{{}}, Imports: []wasmtest.Import{{Module: "env", Name: "x"}}}.Bytes(),
		"code that does not fit":        wasmtest.Module{Types: []wasmtest.FuncType{{}}, Funcs: []wasmtest.Func{{Body: []byte{wasmtest.I32Add}}}, Exports: []wasmtest.Export{{Name: "_start"}}}.Bytes(),
		"data outside its memory":       wasmtest.Module{Types: []wasmtest.FuncType{{}}, Memory: []uint32{1}, Data: []wasmtest.Data{{Offset: 1 << 20, Bytes: []byte("x")}}, Funcs: []wasmtest.Func{{}}, Exports: []wasmtest.Export{{Name: "_start"}}}.Bytes(),
	} {
		m, err := r.Load(t.Context(), module)
		if err == nil {
			_, err = m.Call(t.Context(), Call{Bindings: b})
			_ = m.Close()
		}
		if err == nil {
			t.Errorf("%s: runs", name)
		}
		wantOnly(t, name, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = r.Load(t.Context(), clock)
	wantOnly(t, "a Runtime that is closed", err, abi.ErrClosed)
}

// calls0 returns code that calls function f with the argument arg; f has no result.
func calls0(f uint32, arg int32) []byte {
	return wasmtest.Code(wasmtest.Const(arg), wasmtest.CallFunc(f))
}
