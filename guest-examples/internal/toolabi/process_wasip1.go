package toolabi

import (
	"io"
	"os"
	"syscall"
)

// Run runs the tool named in the arguments of the process, and ends the process. It uses the host's
// streams directly. The streams of package os use locks and polling, and os.Exit runs code that
// only other programs need. Together they would take a tenth of the time of a short call.
func Run(tools map[string]Tool) {
	syscall.Exit(Main(tools, os.Args, stream(syscall.Stdin), stream(syscall.Stdout), stream(syscall.Stderr)))
}

// stream is a file descriptor of the process.
type stream int

func (s stream) Read(p []byte) (int, error) {
	n, err := syscall.Read(int(s), p)
	if err != nil {
		return 0, err
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (s stream) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		n, err := syscall.Write(int(s), p[written:])
		if err == nil && n <= 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return written, err
		}
		written += n
	}
	return written, nil
}
