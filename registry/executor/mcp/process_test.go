package mcp

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// When the test program is started as a server, TestMain acts as a server that fails.
func TestMain(m *testing.M) {
	if os.Getenv(InsideEnv) == "" {
		os.Exit(m.Run())
	}
	fmt.Fprintln(os.Stderr, "the key s3cret in /home/me/.key is wrong")
	os.Exit(0)
}

// The error of a program that does not start quotes none of its output; only the log does.
func TestErrorOfFailedStartHidesOutput(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		o    Options
		want string
		log  string
	}{
		{Options{Command: []string{program}, Env: []string{"NO_SUCH_VARIABLE"}}, "the variable NO_SUCH_VARIABLE, which env lists, is not set; set it or remove it from env", ""},
		{Options{Command: []string{"/no/such/program"}}, "its program cannot be started; check the name in command", ""},
		{Options{Command: []string{program}}, "the server has ended", "s3cret"},
	} {
		var log bytes.Buffer
		tc.o.Name, tc.o.Logger = "self", slog.New(slog.NewTextHandler(&log, nil))
		server := NewServer(tc.o)
		_, err := server.Tools(t.Context())
		e := wantCode(t, err, tool.CodeNetwork, "the MCP server self does not start: "+tc.want)
		if strings.Contains(e.Message, "/") || strings.Contains(e.Message, "s3cret") {
			t.Errorf("the error quotes too much: %q", e.Message)
		}
		if !strings.Contains(log.String(), tc.log) {
			t.Errorf("the log is %q, want %q in it", log.String(), tc.log)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
}
