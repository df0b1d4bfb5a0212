package runtime

import (
	"context"
	"crypto/sha256"

	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// maxDigested bounds what one call of sha256 takes, in bytes: some 50 ms of the host's, in
// which the guest's deadline is not looked at.
const maxDigested = 64 << 20

// digest adds sha256, for which a guest takes fifty times as long. It says nothing that the
// guest could not work out, so that it may be used before the first call, too.
func (x exporter) digest() {
	sizes := hostSizes[reactorModule]["sha256"]
	f := func(_ context.Context, mod api.Module, stack []uint64) {
		i := x.e.onGuest(mod)
		i.take(sizes, stack)
		s := i.current.Load()
		data, to := guestRange(s, mod.Memory(), stack), guestRange(s, mod.Memory(), stack[2:])
		stack[0] = s.attempt(func() (uint32, error) {
			if len(data) > maxDigested || len(to) < sha256.Size {
				return 0, errDigestTooLarge
			}
			sum := sha256.Sum256(data)
			copy(to, sum[:])
			return sha256.Size, nil
		})
	}
	x.b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(f), []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i32}).Export("sha256")
}

var errDigestTooLarge = &hostfuncs.Fault{
	Code: hostfuncs.FaultTooMuch, Kind: "too_large",
	Message: "sha256 takes 64 MiB at most and needs 32 bytes for what it gives",
}
