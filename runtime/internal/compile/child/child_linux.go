package child

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// dataInUse returns how many bytes currently count towards RLIMIT_DATA. Where /proc does not show
// the number, it returns 0, which makes the limit stricter.
func dataInUse() uint64 {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(statm)
	if len(fields) < 6 {
		return 0
	}
	pages, err := strconv.ParseUint(string(fields[5]), 10, 32)
	if err != nil {
		return 0
	}
	return pages * uint64(os.Getpagesize())
}

// beFirstToGo makes the kernel kill this process before any other when the machine or the container
// is out of memory. Failure is ignored, because the limits still apply.
func beFirstToGo() { _ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) }

// attributes makes the kernel kill a child whose parent has ended, even by SIGKILL.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
