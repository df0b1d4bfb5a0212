package main

import (
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// The steps of plant store the token in these variables.
var (
	planted = "none"
	byName  = map[string]string{}
	pool    sync.Pool
	leaked  []string
	kept    [][]byte
)

// plant leaves the token in the place that the parameter step names. It returns false for an
// unknown place.
func plant(step, token string) bool {
	token = strings.Clone(token)
	switch step {
	case "static":
		planted = token
	case "map":
		byName[token] = token
	case "pool":
		pool.Put(&token)
	case "heap":
		for times := 1; times <= 10_000; times *= 10 {
			leaked = append(leaked, strings.Repeat(token, times))
		}
	case "grow":
		block := make([]byte, 8<<20)
		for at := 0; at+len(token) <= len(block); at += 1024 {
			copy(block[at:], token)
		}
		kept = append(kept, block)
	case "stack":
		onStack(token, 200)
	case "goroutine":
		inGoroutines(token)
	case "timer":
		time.AfterFunc(time.Nanosecond, func() { planted = token })
	case "finalizer":
		runtime.AddCleanup(new([64]byte), func(left string) { planted = left }, token)
	case "env":
		os.Setenv("CANARY", token)
	case "open":
		inOpenFiles()
	case "opendir":
		inOpenDirectory()
	case "readdir":
		inListings()
	case "flags":
		for fd := range uint32(lastPreopen + 1) {
			fdFdstatSetFlags(fd, 1|4)
		}
	case "scratch":
		os.WriteFile("/tmp/left", []byte(token), 0o600)
	case "close":
		closeAll(0, 2)
	case "closepreopens":
		closeAll(firstPreopen, lastPreopen)
	case "random":
		var bytes [40]byte
		randomGet(unsafe.Pointer(&bytes), uint32(len(bytes)))
		rand.Uint64()
	case "clock":
		for range 5 {
			now(clockMonotonic)
		}
	default:
		return false
	}
	return true
}

//go:noinline
func onStack(token string, depth int) byte {
	var frame [512]byte
	copy(frame[:], token)
	if depth == 0 {
		return frame[0]
	}
	return onStack(token, depth-1) + frame[depth%len(frame)]
}

// inGoroutines starts goroutines that wait forever with the token in their stack frames.
func inGoroutines(token string) {
	started := make(chan struct{})
	for range 10 {
		go func() {
			var frame [64]byte
			copy(frame[:], token)
			started <- struct{}{}
			<-make(chan struct{})
			runtime.KeepAlive(&frame)
		}()
		<-started
	}
}

// files keeps the garbage collector from closing open files.
var files []*os.File

func inOpenFiles() {
	for range 3 {
		if f, err := os.Open("/workspace/a"); err == nil {
			files = append(files, f)
		}
	}
}

func inOpenDirectory() {
	dir, err := os.Open("/workspace")
	if err != nil {
		return
	}
	dir.ReadDir(1)
	files = append(files, dir)
}

func inListings() {
	var entries [64]byte
	for fd := uint32(firstPreopen); fd <= lastPreopen; fd++ {
		var used uint32
		fdReaddir(fd, unsafe.Pointer(&entries), uint32(len(entries)), 0, unsafe.Pointer(&used))
	}
}

func closeAll(first, last uint32) {
	for fd := first; fd <= last; fd++ {
		fdClose(fd)
	}
}
