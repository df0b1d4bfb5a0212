package mcp

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// When the test program is started as a server, TestMain acts as a server that fails.
func TestMain(m *testing.M) {
	if os.Getenv(InsideEnv) == "" {
		os.Exit(m.Run())
	}
	fmt.Fprintln(os.Stderr, "Traceback:\n\n  in start\nthe key s3cret in /home/me/.key is wrong")
	os.Exit(0)
}

// The error of a call of a program that does not start quotes none of its output. The error for the
// operator has all of it, on one line and once, and nothing else is logged.
func TestErrorOfFailedStartHidesOutput(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		o    Options
		want string
		more string // for the operator
	}{
		{Options{Command: []string{program}, Env: []string{"NO_SUCH_VARIABLE"}}, "the variable NO_SUCH_VARIABLE, which env lists, is not set; set it or remove it from env", ""},
		{Options{Command: []string{"/no/such/program"}}, "its program cannot be started; check the name in command", ""},
		{Options{Command: []string{program}}, "the server has ended", "; its last output: Traceback: | in start | the key s3cret in /home/me/.key is wrong"},
	} {
		var log bytes.Buffer
		tc.o.Name, tc.o.Logger = "self", slog.New(slog.NewTextHandler(&log, nil))
		server := NewServer(tc.o)
		_, forOperator := server.Tools(t.Context())
		if e := wantCode(t, forOperator, tool.CodeNetwork, "the MCP server self does not start: "+tc.want); !strings.HasSuffix(e.Message, tc.want+tc.more) || log.Len() > 0 {
			t.Errorf("the operator sees %q and the log %q", e.Message, &log)
		}
		server.next = time.Time{}
		_, err := server.session(t.Context())
		e := wantCode(t, err, tool.CodeNetwork, "the MCP server self does not start: "+tc.want)
		if strings.Contains(e.Message, "/") || strings.Contains(e.Message, "s3cret") {
			t.Errorf("the error quotes too much: %q", e.Message)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
}
