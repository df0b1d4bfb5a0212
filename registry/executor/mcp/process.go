package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/internal/procgroup"
)

// closeTime is how long a server may take to end after its input was closed.
const closeTime = 2 * time.Second

// passed are the variables that every server gets, so that programs find each other, their
// folders and their language. Anything else may be a secret.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "TZ",
	"SystemRoot", "SystemDrive", "USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP", "PATHEXT", "ComSpec",
}

// stream is a connection to a server. Closing it ends the server.
type stream interface {
	io.ReadWriteCloser
	// lastWords are the end of what the server wrote to standard error, or why it ended.
	lastWords() string
}

// process is a server that runs as a program.
type process struct {
	out    *os.File
	in     io.WriteCloser
	cmd    *exec.Cmd
	noise  tail
	ended  chan struct{} // closed when the program is gone
	closed sync.Once
}

// startProcess starts the program of a server. Its error holds no path.
func startProcess(o Options) (stream, error) {
	env, err := environment(o)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Env = env
	p := &process{cmd: cmd, ended: make(chan struct{})}
	cmd.Stderr = &p.noise
	cmd.WaitDelay = closeTime
	procgroup.Set(cmd)
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, errors.New("no pipe can be made")
	}
	// A pipe of our own: Wait would close that of cmd before all is read.
	var outWriter *os.File
	p.out, outWriter, err = os.Pipe()
	if err != nil {
		return nil, errors.New("no pipe can be made")
	}
	cmd.Stdout = outWriter
	err = cmd.Start()
	_ = outWriter.Close() // the child has its own
	if err != nil {
		_ = p.out.Close()
		return nil, errors.New("its program cannot be started; check the name in command")
	}
	go func() {
		_ = cmd.Wait()          // how it ended is of no use to anybody
		_ = procgroup.Kill(cmd) // what it has left running keeps its output open
		close(p.ended)
	}()
	return p, nil
}

// InsideEnv is the variable that tells a program that it is a server, by its name. A
// wasmtool that sees it starts no servers of its own: its operator's file may be the one
// that it was started from.
const InsideEnv = "WASMTOOL_MCP_SERVER"

// environment is what a server's program sees of the variables of this process.
func environment(o Options) ([]string, error) {
	env := []string{InsideEnv + "=" + o.Name}
	for _, name := range passed {
		if value, ok := o.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for _, name := range o.Env {
		value, ok := o.LookupEnv(name)
		if !ok {
			return nil, fmt.Errorf("the variable %s, which it is to get, is not set", name)
		}
		env = append(env, name+"="+value)
	}
	return env, nil
}

func (p *process) Read(b []byte) (int, error) { return p.out.Read(b) }

func (p *process) Write(b []byte) (int, error) { return p.in.Write(b) }

// Close asks the server to end by closing its input, and ends it if it does not.
func (p *process) Close() error {
	p.closed.Do(func() {
		_ = p.in.Close() // it may be closed already
		select {
		case <-p.ended:
		case <-time.After(closeTime):
			_ = procgroup.Kill(p.cmd) // it may just have ended
		}
		<-p.ended
		_ = p.out.Close()
	})
	return nil
}

func (p *process) lastWords() string { return p.noise.String() }

// maxLastWords is how much is kept of what a server writes to standard error, in bytes.
const maxLastWords = 2 << 10

// tail keeps the last bytes that are written to it, maxLastWords at most.
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
