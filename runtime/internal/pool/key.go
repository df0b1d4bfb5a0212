package pool

import (
	"encoding/binary"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
)

// AppendKey appends what start-up of the guest could see of its call. Calls of equal
// keys may be served by one instance.
func AppendKey(b []byte, c *abi.Call) []byte {
	text := func(t string) {
		b = binary.AppendUvarint(b, uint64(len(t)))
		b = append(b, t...)
	}
	bindings := c.Bindings
	flags := byte(0)
	start, fixed := bindings.FixedClock()
	if fixed {
		flags |= 1
	}
	if bindings.FixedRandom() {
		flags |= 2
	}
	b = append(b, flags)
	if fixed {
		b = binary.AppendVarint(b, start.UnixMilli())
	}
	text(string(c.Entry.Form))
	text(c.Entry.Export)
	text(c.Name)
	b = binary.AppendUvarint(b, c.Limits.Memory)
	b = binary.AppendUvarint(b, uint64(len(c.Args)))
	for _, arg := range c.Args {
		text(arg)
	}
	b = binary.AppendUvarint(b, uint64(len(bindings.Env)))
	for _, name := range abi.SortedKeys(bindings.Env) {
		text(name)
		text(bindings.Env[name])
	}
	for _, m := range bindings.Mounts {
		text(m.Mount)
		text(m.GuestPath())
	}
	text(string(c.Warm))
	return b
}
