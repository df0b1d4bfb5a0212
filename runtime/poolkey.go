package runtime

import "encoding/binary"

// appendKey appends what start-up of the guest could see of its call. Calls of equal
// keys may be served by one instance.
func (s *callState) appendKey(b []byte) []byte {
	text := func(t string) {
		b = binary.AppendUvarint(b, uint64(len(t)))
		b = append(b, t...)
	}
	call, bindings := &s.call, s.call.Bindings
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
	text(string(call.Entry.ABI))
	text(call.Entry.Export)
	text(call.Name)
	b = binary.AppendUvarint(b, s.limits.Memory)
	b = binary.AppendUvarint(b, uint64(len(call.Args)))
	for _, arg := range call.Args {
		text(arg)
	}
	b = binary.AppendUvarint(b, uint64(len(bindings.Env)))
	for _, name := range sortedKeys(bindings.Env) {
		text(name)
		text(bindings.Env[name])
	}
	for _, m := range bindings.Mounts {
		text(m.Mount)
		text(m.GuestPath())
	}
	text(string(call.Warm))
	return b
}
