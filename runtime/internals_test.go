package runtime

import (
	"context"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/compile"
	"github.com/wasmtool/wasmtool/runtime/internal/pool"
)

// Names of other packages that the tests use.
const (
	wasiModule    = abi.WASI
	reactorModule = abi.V1
	extismModule  = abi.ExtismHost

	maxKinds   = pool.MaxKinds
	renewAfter = pool.RenewAfter
	idleBytes  = pool.IdleBytes
	trimAfter  = pool.TrimAfter
	closeAfter = pool.CloseAfter
	largeStart = pool.LargeStart
	longFrom   = compile.LongFrom

	answerSize    = abi.AnswerSize
	smallestBlock = abi.SmallestBlock

	maxDigested      = abi.MaxDigested
	maxBatchNames    = abi.MaxBatchNames
	maxVector        = abi.MaxVector
	maxSubscriptions = abi.MaxSubscriptions
	fuelSlice        = abi.FuelSlice
	maxErrorText     = abi.MaxErrorText
)

// Error numbers of WASI preview 1.
const (
	wasiBadf        = 8
	wasiFault       = 21
	wasiInval       = 28
	wasiNameTooLong = 37
	wasiNotsup      = 58
)

// keyOf returns the key of the kind of instances that serve a call.
func keyOf(r *Runtime, m *Module, call Call) string {
	return string(pool.AppendKey(nil, abi.NewCall(context.Background(), r.process, m.c.request(call))))
}
