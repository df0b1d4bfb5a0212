package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

// Memory is the private memory of a process that holds instances, in KiB.
type Memory struct {
	Guest  string `json:"guest"`
	System string `json:"system"`
	// Live is the memory at each number of live instances. Waiting is the memory right after the
	// instances were released, and Resting the memory some time later.
	Live    []Held `json:"live"`
	Waiting Held   `json:"waiting"`
	Resting Held   `json:"resting"`
	// Kept is how many instances the system kept for further calls.
	Kept    int    `json:"kept"`
	Missing string `json:"missing,omitempty"`
}

// Held is the private memory of a process with a number of instances.
type Held struct {
	Instances int   `json:"instances"`
	KiB       int64 `json:"kib"`
}

// PerInstance returns what one more instance takes in KiB: the slope between the smallest and the
// largest number of instances.
func (m Memory) PerInstance() float64 {
	if len(m.Live) < 2 {
		return 0
	}
	return slope(m.Live[0], m.Live[len(m.Live)-1])
}

// PerKept returns how many KiB one more released and kept instance takes, where h is the memory of
// the process that keeps them. It returns 0 if no instance was kept.
func (m Memory) PerKept(h Held) float64 {
	if m.Kept < 2 || len(m.Live) == 0 {
		return 0
	}
	return slope(m.Live[0], Held{m.Kept, h.KiB})
}

func slope(a, b Held) float64 {
	if a.Instances == b.Instances {
		return 0
	}
	return max(0, float64(b.KiB-a.KiB)/float64(b.Instances-a.Instances))
}

// HoldRequest is the request to a process that holds instances; see Hold.
type HoldRequest struct {
	Guest, System string
	Instances     []int
	Rest          time.Duration
	Setup         peer.Setup
}

// HoldCommand is the command-line argument that makes this program call Hold.
const HoldCommand = "hold"

// MemoryUse measures the memory of live instances. Each system gets its own process, which is this
// program started with HoldCommand.
func MemoryUse(ctx context.Context, s peer.Setup, p Plan, progress func(string)) []Memory {
	var results []Memory
	for _, guest := range []string{"go", "c"} {
		for _, system := range []string{peer.Wasmtool, peer.Fresh} {
			progress(fmt.Sprintf("memory: %s, %s", guest, system))
			m, err := holdElsewhere(ctx, HoldRequest{guest, system, p.Instances, p.Rest, s})
			if err != nil {
				m = Memory{Missing: reason(err)}
			}
			m.Guest, m.System = guest, system
			results = append(results, m)
		}
	}
	return results
}

func holdElsewhere(ctx context.Context, r HoldRequest) (Memory, error) {
	request, err := json.Marshal(r)
	if err != nil {
		return Memory{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return Memory{}, err
	}
	var stderr bytes.Buffer
	c := exec.CommandContext(ctx, self, HoldCommand)
	c.Stdin, c.Stderr = bytes.NewReader(request), &stderr
	answer, err := c.Output()
	if err != nil {
		return Memory{}, fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	var m Memory
	return m, json.Unmarshal(answer, &m)
}

// Hold is the main function of a process that holds instances: it reads a HoldRequest from the
// reader in, holds instances, and writes a Memory to the writer out.
func Hold(ctx context.Context, in io.Reader, out io.Writer) error {
	var r HoldRequest
	if err := json.NewDecoder(in).Decode(&r); err != nil {
		return err
	}
	if len(r.Instances) == 0 {
		return errors.New("the request has no numbers of instances to hold")
	}
	maxHeld := r.Instances[len(r.Instances)-1]
	h, err := peer.NewHolder(ctx, r.Guest, r.System, maxHeld, r.Setup)
	if err != nil {
		return err
	}
	defer h.Close()
	var m Memory
	for _, n := range r.Instances {
		if err := h.Hold(ctx, n); err != nil {
			return err
		}
		live, err := held(n)
		if err != nil {
			return err
		}
		m.Live = append(m.Live, live)
	}
	if err := h.Release(); err != nil {
		return err
	}
	if m.Waiting, err = held(maxHeld); err != nil {
		return err
	}
	time.Sleep(r.Rest)
	if m.Resting, err = held(maxHeld); err != nil {
		return err
	}
	if m.Kept, err = h.Kept(ctx); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(m)
}

// held returns the memory of this process, which holds n instances.
func held(n int) (Held, error) {
	kib, err := privateMemory()
	return Held{n, kib}, err
}

// privateMemory returns the private memory of this process in KiB, after a garbage collection.
func privateMemory() (int64, error) {
	debug.FreeOSMemory()
	const file = "/proc/self/smaps_rollup"
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, &peer.Unavailable{Reason: "this system has no " + file}
	}
	return parsePrivate(string(data))
}

// parsePrivate returns the sum of the private memory in smaps_rollup, in KiB.
func parsePrivate(rollup string) (int64, error) {
	var sum int64
	found := false
	for line := range strings.Lines(rollup) {
		fields := strings.Fields(line)
		if len(fields) < 2 || !strings.HasPrefix(fields[0], "Private_") {
			continue
		}
		n, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return 0, err
		}
		sum += n
		found = true
	}
	if !found {
		return 0, errors.New("smaps_rollup has no private memory")
	}
	return sum, nil
}
