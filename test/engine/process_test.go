package engine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"time"
)

// usage is the resource usage of the process. A field is 0 if the system does not report it.
type usage struct {
	goroutines, descriptors, mappings int
	// resident is the memory of the process in bytes.
	resident int
}

func (u usage) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d mappings, %d MiB", u.goroutines, u.descriptors, u.mappings, u.resident>>20)
}

// measure collects garbage and returns the remaining usage.
func measure(tb testing.TB) usage {
	tb.Helper()
	goruntime.GC() // runs finalizers
	debug.FreeOSMemory()
	u := usage{goroutines: goruntime.NumGoroutine()}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		u.descriptors = len(files)
	}
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil {
		u.mappings = bytes.Count(maps, []byte("\n"))
	}
	if statm, err := os.ReadFile("/proc/self/statm"); err == nil {
		fields := bytes.Fields(statm)
		pages, err := strconv.Atoi(string(fields[1]))
		if err != nil {
			tb.Fatalf("/proc/self/statm: %v", err)
		}
		u.resident = pages * os.Getpagesize()
	}
	return u
}

// within reports whether each field of u is at most the sum of that field in the parameters before
// and more.
func (u usage) within(before, more usage) bool {
	return u.goroutines <= before.goroutines+more.goroutines &&
		u.descriptors <= before.descriptors+more.descriptors &&
		u.mappings <= before.mappings+more.mappings &&
		u.resident <= before.resident+more.resident
}

// settle measures repeatedly until the usage is within bounds, or until background work must have
// ended. It returns the last measurement.
func settle(tb testing.TB, before, more usage) usage {
	tb.Helper()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	enough := time.NewTimer(2 * time.Minute)
	defer enough.Stop()
	for {
		u := measure(tb)
		if u.within(before, more) {
			return u
		}
		select {
		case <-again.C:
		case <-enough.C:
			return u
		}
	}
}

// openFiles describes the open descriptors of the process.
func openFiles() []string {
	var names []string
	links, _ := filepath.Glob("/proc/self/fd/*")
	for _, link := range links {
		if name, err := os.Readlink(link); err == nil {
			names = append(names, name)
		}
	}
	return names
}
