package transport

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/internal/procgroup"
)

// closeTime limits how long a server may keep running after its input was closed.
const closeTime = 2 * time.Second

// process is a server that runs as a program.
type process struct {
	out    *os.File
	in     io.WriteCloser
	cmd    *exec.Cmd
	stderr tail
	ended  chan struct{} // closed when the program has ended
	closed sync.Once
}

// StartProcess starts a program with its arguments, without a shell. The program has only the
// variables in env ("NAME=value"). The error names no path.
func StartProcess(command, env []string) (Stream, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = env
	p := &process{cmd: cmd, ended: make(chan struct{})}
	cmd.Stderr = &p.stderr
	cmd.WaitDelay = closeTime
	procgroup.Set(cmd)
	var err error
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, errors.New("cannot create a pipe")
	}
	// With cmd.StdoutPipe, Wait would close the pipe before all output is read.
	var outWriter *os.File
	p.out, outWriter, err = os.Pipe()
	if err != nil {
		return nil, errors.New("cannot create a pipe")
	}
	cmd.Stdout = outWriter
	err = cmd.Start()
	_ = outWriter.Close() // the program has its own copy
	if err != nil {
		_ = p.out.Close()
		return nil, errors.New("its program cannot be started; check the name in command")
	}
	go func() {
		// the reader of p.out notices the end; the exit status adds no information
		_ = cmd.Wait()
		_ = procgroup.Kill(cmd) // processes that the program left running would keep p.out open
		close(p.ended)
	}()
	return p, nil
}

func (p *process) Read(b []byte) (int, error) { return p.out.Read(b) }

func (p *process) Write(b []byte) (int, error) { return p.in.Write(b) }

// OnFailure does nothing: requests to a program fail only when the whole stream fails.
func (p *process) OnFailure(func(id int64, err error)) {}

// Close closes the input of the program, which tells the program to end. After closeTime, Close
// kills the program.
func (p *process) Close() error {
	p.closed.Do(func() {
		_ = p.in.Close() // fails if it is already closed
		select {
		case <-p.ended:
		case <-time.After(closeTime):
			_ = procgroup.Kill(p.cmd) // fails if the program has just ended
		}
		<-p.ended
		_ = p.out.Close()
	})
	return nil
}

func (p *process) LastWords() string { return p.stderr.String() }

// maxLastWords limits how much of a program's standard error is kept, in bytes.
const maxLastWords = 2 << 10

// tail keeps the last maxLastWords bytes that are written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if over := len(t.data) - maxLastWords; over > 0 {
		t.data = bytes.Clone(t.data[over:])
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data)
}
