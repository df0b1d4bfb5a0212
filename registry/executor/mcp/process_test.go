package mcp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestMain(m *testing.M) {
	if os.Getenv(InsideEnv) == "" {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case "parent": // ends, and leaves a child that holds its output
		child := exec.Command(os.Args[0], "stubborn")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			fmt.Println(err)
		}
	case "stubborn": // does not care that nobody talks to it
		fmt.Println("ready")
		select {}
	case "fails":
		fmt.Fprintln(os.Stderr, "the key s3cret in /home/me/.key is wrong")
	}
	os.Exit(0)
}

func self(t *testing.T, args ...string) Options {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Options{Name: "self", Command: append([]string{program}, args...), LookupEnv: os.LookupEnv}
}

// A server that does not end by itself is ended.
func TestStubbornServer(t *testing.T) {
	t.Parallel()
	s, err := startProcess(self(t, "stubborn"))
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(s).ReadString('\n'); err != nil || strings.TrimSpace(line) != "ready" {
		t.Errorf("got %q, %v", line, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if s.(*process).cmd.ProcessState == nil {
		t.Error("the program runs on")
	}
}

// What a server leaves running ends with it: its output would never end otherwise.
func TestServerThatLeavesAChild(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no groups of processes")
	}
	s, err := startProcess(self(t, "parent"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, s); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// Why a program does not start is told without what it said, which only the log has.
func TestProgramThatDoesNotStart(t *testing.T) {
	t.Parallel()
	missing, none := self(t), self(t)
	missing.Env = []string{"NO_SUCH_VARIABLE"}
	none.Command = []string{"/no/such/program"}
	for _, tc := range []struct {
		o    Options
		want string
		log  string
	}{
		{missing, "the variable NO_SUCH_VARIABLE, which it is to get, is not set", ""},
		{none, "its program cannot be started; check the name in command", ""},
		{self(t, "fails"), "the server has gone", "s3cret"},
	} {
		var log bytes.Buffer
		tc.o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		server := NewServer(tc.o)
		_, err := server.Tools(t.Context())
		e := wantCode(t, err, tool.CodeNetwork, "the MCP server self does not start: "+tc.want)
		if strings.Contains(e.Message, "/") || strings.Contains(e.Message, "s3cret") {
			t.Errorf("%q tells too much", e.Message)
		}
		if !strings.Contains(log.String(), tc.log) {
			t.Errorf("the log has %q, want %q", log.String(), tc.log)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
}
