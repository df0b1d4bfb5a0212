package bash

import (
	"errors"
	"time"
)

// Time limits of a script.
const (
	DefaultTimeout = 100 * time.Second
	// MaxTimeout is shorter than the 615 seconds of the manifest, so that the tool has time to
	// report.
	MaxTimeout = 600 * time.Second
	// grace is the time that a script has to stop after its timeout.
	grace = 300 * time.Millisecond
)

const (
	// maxScript limits the length of a script in an argument or a file, in bytes.
	maxScript = 1 << 20
	// maxDepth limits nested Go calls, so that endless recursion in a script ends with an error
	// before the tool runs out of memory. A call of a shell function needs about ten Go calls, a
	// command substitution about thirty.
	maxDepth = 10_000
	// depthEvery is the number of commands between two checks of the depth.
	depthEvery = 32
	// maxScripts limits the nested and concurrent scripts that run at the same time. Each script
	// file, bash -c and eval is one script.
	maxScripts = 300
	// maxGoroutines limits goroutines. Each background job and each part of a pipe runs in a
	// goroutine.
	maxGoroutines = 500
	// maxHead and maxTail limit how many bytes are kept of the beginning and the end of the output.
	maxHead, maxTail = 400 << 10, 200 << 10
	// maxOutput limits the output of a script, in bytes; a script that exceeds it is stopped.
	maxOutput = 8 << 20
	// maxSubstitution limits the output of a command substitution, in bytes.
	maxSubstitution = 32 << 20
	// maxBroken limits the writes to a closed pipe that may fail in one part of a pipeline. After
	// one more failure the part is stopped, because a loop in it could otherwise run forever.
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
	errTooMuchMemory = errors.New("its variables take too much memory; keep large data in files and pipes")
	errTooManyJobs   = errors.New("it started too many background jobs and pipes at the same time; start fewer, or wait for some first")
	errTooDeep       = errors.New("its functions, scripts or substitutions are nested too deeply; check for endless recursion")
)
