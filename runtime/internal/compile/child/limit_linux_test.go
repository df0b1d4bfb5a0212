package child

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestKernelLimitsChild(t *testing.T) {
	o := options("limits")
	o.Timeout, o.MaxOutput = 90*time.Second, 5<<20
	err := Compile(context.Background(), o, nil, t.TempDir())
	if err == nil {
		t.Fatal("the child did not report its limits")
	}
	cpu := 91 * runtime.GOMAXPROCS(0)
	for _, want := range []string{
		"1000 ", // killed before any other process when memory runs out
		fmt.Sprintf("cpu time=%d-%d,", cpu, cpu),
		"file size=5242880-5242880,",
		"core file size=0-0,",
		"open files=64-64,",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "data size=unlimited") {
		t.Errorf("memory is not limited: %q", err)
	}
}

func TestKernelLimitsSizeOfCode(t *testing.T) {
	o := options("big file")
	o.MaxOutput = 1 << 20
	err := Compile(context.Background(), o, nil, t.TempDir())
	if got := kindOf(t, err); got != TooBig || !strings.Contains(err.Error(), "more than 1048576 bytes") {
		t.Errorf("got %q (%v), want %q", got, err, TooBig)
	}
}

// Only the kernel limits memory that the Go runtime does not count.
func TestKernelLimitsMappings(t *testing.T) {
	o := options("map memory")
	o.MaxMemory = MinMaxMemory
	if got := kindOf(t, Compile(context.Background(), o, nil, t.TempDir())); got != TooBig {
		t.Errorf("got %q, want %q", got, TooBig)
	}
}

// A child ends when its parent is killed, although the parent has no chance to kill it.
func TestChildOfKilledParentEnds(t *testing.T) {
	p := newPhone(t)
	parent := exec.Command(options("").Command[0], parentArg, "spin", p.number())
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line := p.answer()
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	gone(t, line)
}
