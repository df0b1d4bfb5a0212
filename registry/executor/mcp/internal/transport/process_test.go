package transport

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// behaviour names the variable that makes the test program act as a server.
const behaviour = "WASMTOOL_TEST_SERVER"

func TestMain(m *testing.M) {
	switch os.Getenv(behaviour) {
	case "":
		os.Exit(m.Run())
	case "parent": // ends, and leaves a child that keeps its output open
		child := exec.Command(os.Args[0])
		child.Env = []string{behaviour + "=stubborn"}
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			fmt.Println(err)
		}
	case "stubborn": // ignores the end of its input
		fmt.Println("ready")
		select {}
	}
	os.Exit(0)
}

// startTestProgram starts the test program as a server.
func startTestProgram(t *testing.T, behaves string) Stream {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := StartProcess([]string{program}, append(os.Environ(), behaviour+"="+behaves))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCloseKillsProgramThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	s := startTestProgram(t, "stubborn")
	if line, err := bufio.NewReader(s).ReadString('\n'); err != nil || strings.TrimSpace(line) != "ready" {
		t.Errorf("got %q, %v", line, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if s.(*process).cmd.ProcessState == nil {
		t.Error("the program is still running")
	}
}

// Processes that a server leaves running are killed: otherwise its output would never end.
func TestChildrenOfProgramAreKilled(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no process groups")
	}
	s := startTestProgram(t, "parent")
	if _, err := io.Copy(io.Discard, s); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
