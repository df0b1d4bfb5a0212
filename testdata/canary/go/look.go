package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"unsafe"
)

const (
	lastDescriptor = 40
	mostFound      = 64
	tokenDigits    = 16
)

// look returns the report. It describes memory first, because writing the report changes memory.
// pages is the number of pages by which memory is grown.
func look(pages uint32) []byte {
	report := lookAtMemory(make([]byte, 0, 16<<10))
	report = lookAtState(report)
	report = lookAtDescriptors(report)
	for fd := uint32(firstPreopen); fd <= lastPreopen; fd++ {
		report = lookAtListing(report, fd, 3)
		report = lookAtListing(report, fd, 0)
	}
	report = lookAtHost(report)
	return lookAtMore(report, pages)
}

// hash returns the hash of the memory from the address start to the address end.
func hash(start, end int) uint64 {
	hash := uint64(14695981039346656037)
	for _, word := range unsafe.Slice((*uint64)(unsafe.Add(nil, start)), (end-start)/8) {
		hash = (hash ^ word) * 1099511628211
	}
	return hash
}

func lookAtMemory(report []byte) []byte {
	pages := memorySize()
	report = fmt.Appendf(report, "pages %x\n", pages)
	// The page at 0 belongs to the Go runtime and contains no objects.
	const start = 1 << 12
	report = fmt.Appendf(report, "hash %x\n", hash(start, int(pages)<<16))
	memory := unsafe.Slice((*byte)(unsafe.Add(nil, start)), int(pages)<<16-start)
	found := 0
	for at := 0; at < len(memory)-5-tokenDigits && found < mostFound; at++ {
		// Compare with constants in the code: a search string would be in memory and would be
		// found.
		if memory[at] != 'C' || memory[at+1] != 'N' || memory[at+2] != 'R' || memory[at+3] != 'Y' || memory[at+4] != '-' {
			continue
		}
		report = fmt.Appendf(report, "found %x ", at+start)
		report = append(report, memory[at+5:][:tokenDigits]...)
		report = append(report, '\n')
		found++
	}
	return report
}

// lookAtState reports the state of the language runtime. Before it reads the variables, it runs
// the garbage collector and lets other goroutines run.
func lookAtState(report []byte) []byte {
	pooled := "none"
	if p, ok := pool.Get().(*string); ok {
		pooled = *p
	}
	report = fmt.Appendf(report, "pool %s\n", pooled)
	runtime.GC()
	for range 10 {
		runtime.Gosched()
	}
	report = fmt.Appendf(report, "static %s\n", planted)
	report = fmt.Appendf(report, "map %d\n", len(byName))
	report = fmt.Appendf(report, "goroutines %d\n", runtime.NumGoroutine())
	report = fmt.Appendf(report, "env %q\n", os.Getenv("CANARY"))
	report = fmt.Appendf(report, "args %q\n", os.Args)
	report = fmt.Appendf(report, "heap %p\n", new([100]byte))
	return fmt.Appendf(report, "draw %x\n", rand.Uint64())
}

func lookAtDescriptors(report []byte) []byte {
	for fd := range uint32(lastDescriptor + 1) {
		var stat [24]byte
		if fdFdstatGet(fd, unsafe.Pointer(&stat)) == 0 {
			report = fmt.Appendf(report, "fd %x %x %x\n", fd, stat[0], binary.LittleEndian.Uint16(stat[2:]))
		}
	}
	return report
}

// lookAtListing lists the entries from a cookie on, and reports their names.
func lookAtListing(report []byte, fd uint32, cookie uint64) []byte {
	const header = 24
	var entries [1024]byte
	var used uint32
	errno := fdReaddir(fd, unsafe.Pointer(&entries), uint32(len(entries)), cookie, unsafe.Pointer(&used))
	report = fmt.Appendf(report, "list %x %x %x", fd, cookie, errno)
	for left := entries[:used]; errno == 0 && len(left) >= header; {
		length := int(binary.LittleEndian.Uint32(left[16:]))
		if len(left) < header+length {
			break
		}
		report = append(append(report, ' '), left[header:header+length]...)
		left = left[header+length:]
	}
	return append(report, '\n')
}

func lookAtHost(report []byte) []byte {
	var drawn [2]uint64
	randomGet(unsafe.Pointer(&drawn), uint32(unsafe.Sizeof(drawn)))
	report = fmt.Appendf(report, "draw %x %x\n", drawn[0], drawn[1])
	for range 2 {
		report = fmt.Appendf(report, "clock %x %x\n", now(clockRealtime), now(clockMonotonic))
	}
	return report
}

// lookAtMore reports the content of newly grown memory.
func lookAtMore(report []byte, pages uint32) []byte {
	old := memoryGrow(pages)
	if old == math.MaxUint32 {
		return append(report, "grow refused\n"...)
	}
	return fmt.Appendf(report, "grow %x %x\n", old, hash(int(old)<<16, int(old+pages)<<16))
}

func now(clock uint32) uint64 {
	var time uint64
	clockTimeGet(clock, 1, unsafe.Pointer(&time))
	return time
}
