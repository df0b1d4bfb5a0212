package pool

import (
	"encoding/binary"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
)

// AppendKey appends everything that the guest could see of its call during its start. One instance
// may serve all calls with equal keys.
func AppendKey(b []byte, c *abi.Call) []byte {
	add := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	bindings := c.Bindings
	flags := byte(0)
	start, fixed := bindings.FixedClock()
	if fixed {
		flags |= 1
	}
	seed, fixedRandom := bindings.FixedRandom()
	if fixedRandom {
		flags |= 2
	}
	b = append(b, flags)
	if fixed {
		b = binary.AppendVarint(b, start.UnixMilli())
	}
	b = binary.AppendUvarint(b, seed)
	add(string(c.Entry.Form))
	add(c.Entry.Export)
	add(c.Name)
	b = binary.AppendUvarint(b, c.Limits.Memory)
	b = binary.AppendUvarint(b, uint64(len(c.Args)))
	for _, arg := range c.Args {
		add(arg)
	}
	b = binary.AppendUvarint(b, uint64(len(bindings.Env)))
	for _, name := range abi.SortedKeys(bindings.Env) {
		add(name)
		add(bindings.Env[name])
	}
	for _, m := range bindings.Mounts {
		add(m.Mount)
		add(m.GuestPath())
	}
	add(string(c.Warm))
	return b
}
