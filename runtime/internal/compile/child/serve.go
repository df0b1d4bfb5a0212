package child

import (
	"cmp"
	"errors"
	"io"
	"syscall"
	"time"
)

const (
	// checkInterval is how often a child checks its memory.
	checkInterval = 10 * time.Millisecond
	// orphanDelay is the time from the timeout of a child until the child exits by itself, if the
	// parent has not killed it.
	orphanDelay = time.Second
)

// Serve is the main function of a child. It reads a job from stdin, permanently limits this
// process, calls compile, and writes a reply to stdout. compile gets the module and the directory
// for the code, which is the current directory. An error of compile means that the module is
// invalid, unless it is a system error such as a full disk. A panic of compile refuses the module.
//
// The caller must end the process with the exit code at once, because compile may still run. The
// code is 0 when a reply was written.
func Serve(stdin io.Reader, stdout io.Writer, compile func(wasm []byte, dir string) error) (exitCode int) {
	j, err := readHeader(stdin)
	if err == nil {
		err = confine(j)
	}
	if _, err := io.WriteString(stdout, greeting); err != nil {
		return 1
	}
	r := reply{Outcome: failed}
	if err != nil {
		r.Message = err.Error()
	} else if r = await(j, func() reply { return work(j, stdin, compile) }); r.Outcome == "" {
		return 1
	}
	if _, err := stdout.Write(r.encode()); err != nil {
		return 1
	}
	return 0
}

// await returns the reply of the function work. If work takes too much memory, await returns early
// with the outcome tooBig. After the timeout it returns an empty reply, which happens only in a
// child without a parent.
func await(j job, work func() reply) reply {
	done := make(chan reply, 1)
	go func() { done <- work() }()
	late := time.After(j.timeout + orphanDelay)
	check := time.NewTicker(checkInterval)
	defer check.Stop()
	for {
		select {
		case r := <-done:
			return r
		case <-check.C:
			if memoryInUse() > j.memory {
				return reply{Outcome: tooBig}
			}
		case <-late:
			return reply{}
		}
	}
}

func work(j job, stdin io.Reader, compile func(wasm []byte, dir string) error) (r reply) {
	defer func() {
		if p := recover(); p != nil {
			r = reply{Outcome: refused, Message: crashMessage}
			if err, ok := p.(error); ok && errors.Is(err, syscall.ENOMEM) {
				r = reply{Outcome: tooBig}
			}
		}
	}()
	wasm, err := j.readModule(stdin)
	if err != nil {
		return reply{Outcome: failed, Message: err.Error()}
	}
	return replyTo(compile(wasm, "."))
}

// replyTo returns the reply for the result of compile. No reply contains a path.
func replyTo(err error) reply {
	if err == nil {
		return reply{Outcome: compiled}
	}
	reason, system := systemReason(err)
	switch {
	case errors.Is(err, syscall.ENOMEM):
		return reply{Outcome: tooBig}
	case errors.Is(err, syscall.EFBIG):
		return reply{Outcome: tooLong}
	case system:
		return reply{Outcome: failed, Message: tidy("the code cannot be stored: " + reason.Error())}
	}
	message := tidy(err.Error())
	message = cmp.Or(message, crashMessage)
	return reply{Outcome: refused, Message: message}
}
