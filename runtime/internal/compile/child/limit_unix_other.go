//go:build unix && !linux

package child

// dataInUse returns 0: what Go maps does not count for RLIMIT_DATA here.
func dataInUse() uint64 { return 0 }

// beFirstToGo does nothing: there is no way to say it here.
func beFirstToGo() {}
