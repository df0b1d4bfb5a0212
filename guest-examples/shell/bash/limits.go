package bash

import (
	"errors"
	"time"
)

// How long a script may take.
const (
	DefaultTimeout = 100 * time.Second
	// MaxTimeout leaves the tool time to report within the 615 seconds of its
	// manifest.
	MaxTimeout = 600 * time.Second
	// grace is for commands that notice the end of the time a little late.
	grace = 300 * time.Millisecond
)

const (
	// maxScript is the longest script in bytes, of an argument or of a file.
	maxScript = 1 << 20
	// maxDepth is how many Go calls may be nested, so that a function that calls
	// itself ends with an error and not with the memory of the tool. One call of a
	// shell function takes about ten, one of a command substitution about thirty.
	maxDepth = 10_000
	// depthEvery is after how many commands the depth is looked at.
	depthEvery = 32
	// maxScripts is how many scripts may run at the same time: files, those of bash -c
	// and of eval, one inside of another or side by side.
	maxScripts = 300
	// maxGoroutines bounds background jobs and parts of pipes.
	maxGoroutines = 500
	// maxHead and maxTail are how many bytes of the output are kept from its
	// beginning and its end.
	maxHead, maxTail = 400 << 10, 200 << 10
	// maxOutput is how many bytes a script may write before it is stopped.
	maxOutput = 8 << 20
	// maxBroken is how many commands of one part of a pipe may fail to write to it
	// before the part is ended, since loops otherwise go on for ever.
	maxBroken = 16
)

// Exit statuses that the shell gives itself.
const (
	statusUsage      = 2
	statusStopped    = 124 // as timeout does
	statusNoProgram  = 126
	statusNotFound   = 127
	statusBrokenPipe = 141 // as a process has that SIGPIPE ended
)

// Why a script was stopped.
var (
	errTooMuchOutput = errors.New("it wrote more than 8 MiB; redirect to a file, or select with grep, head or tail")
	errTooManyJobs   = errors.New("it started too many background jobs and pipes at the same time")
	errTooDeep       = errors.New("its functions, scripts or substitutions are nested too deeply; is there one that calls itself for ever?")
)
