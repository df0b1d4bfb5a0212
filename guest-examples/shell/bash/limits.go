package bash

import (
	"errors"
	"time"
)

// Time limits of a script.
const (
	DefaultTimeout = 100 * time.Second
	// MaxTimeout leaves the tool time to report within the 615 seconds of its manifest.
	MaxTimeout = 600 * time.Second
	// grace is extra time for commands that notice the timeout a little late.
	grace = 300 * time.Millisecond
)

const (
	// maxScript limits the length of a script in an argument or a file, in bytes.
	maxScript = 1 << 20
	// maxDepth limits nested Go calls, so that a recursive function ends with an error before the
	// tool runs out of memory. A call of a shell function takes about ten Go calls, a command
	// substitution about thirty.
	maxDepth = 10_000
	// depthEvery is the number of commands between two checks of the depth.
	depthEvery = 32
	// maxScripts limits the scripts that run at the same time, nested or concurrent: files, bash
	// -c and eval.
	maxScripts = 300
	// maxGoroutines limits background jobs and parts of pipes.
	maxGoroutines = 500
	// maxHead and maxTail limit the output that is kept from its beginning and its end, in bytes.
	maxHead, maxTail = 400 << 10, 200 << 10
	// maxOutput limits the output of a script, in bytes; a script that exceeds it is stopped.
	maxOutput = 8 << 20
	// maxBroken limits the commands in one part of a pipe that may fail to write to the pipe. One
	// more failure ends the part, because a loop in it could otherwise go on forever.
	maxBroken = 16
)

// Exit statuses that the shell sets itself.
const (
	statusUsage      = 2
	statusStopped    = 124 // like timeout
	statusNoProgram  = 126
	statusNotFound   = 127
	statusBrokenPipe = 141 // like a process ended by SIGPIPE
)

// Reasons for stopping a script.
var (
	errTooMuchOutput = errors.New("it wrote more than 8 MiB; redirect to a file, or select with grep, head or tail")
	errTooManyJobs   = errors.New("it started too many background jobs and pipes at the same time")
	errTooDeep       = errors.New("its functions, scripts or substitutions are nested too deeply; does one call itself forever?")
)
