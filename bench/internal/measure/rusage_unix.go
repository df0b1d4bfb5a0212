//go:build unix

package measure

import "syscall"

// addOfSystem adds what the operating system has counted for this process.
func (u *usage) addOfSystem() error {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return err
	}
	u[usedCPU] = float64(r.Utime.Nano() + r.Stime.Nano())
	u[usedPageFaults], u[usedSwitches] = float64(r.Minflt), float64(r.Nvcsw+r.Nivcsw)
	return nil
}
