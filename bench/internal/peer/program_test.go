package peer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestTalk checks that a script is asked and answers once for each run, also if it writes its
// answer in pieces, and that the reason why it ended is returned.
func TestTalk(t *testing.T) {
	talk := &talk{asked: make(chan struct{}), lines: make(chan []byte), over: make(chan struct{})}
	ended := make(chan error, 1)
	go func() {
		lines := bufio.NewScanner(talk)
		for i := 0; i < 2 && lines.Scan(); i++ {
			for _, piece := range []string{"", fmt.Sprint(i), "", " done\n", ""} {
				_, _ = io.WriteString(talk, piece)
			}
		}
		ended <- errors.New("no more")
	}()
	for _, want := range []string{"0 done\n", "1 done\n"} {
		if line, err := talk.ask(t.Context(), ended); err != nil || string(line) != want {
			t.Errorf("%q, %v; want %q", line, err, want)
		}
	}
	for range 2 {
		if line, err := talk.ask(t.Context(), ended); err == nil || err.Error() != "no more" {
			t.Errorf("after the end: %q, %v", line, err)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := talk.ask(stopped, make(chan error)); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	close(talk.over)
	if rest, err := io.ReadAll(talk); err != nil || len(rest) > 0 {
		t.Errorf("after the program was closed, it reads %q, %v", rest, err)
	}
}

func TestOpenProgramWithoutModule(t *testing.T) {
	_, err := OpenProgram(t.Context(), ProgramFiles{Module: "missing.wasm"}, Metered, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "missing.wasm") {
		t.Errorf("got %v", err)
	}
}
