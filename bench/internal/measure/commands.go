package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/peer"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// commandBytes is the size of the file that the commands read. A smoke test has quickCommandBytes.
const (
	commandBytes      = 17 << 20
	quickCommandBytes = 1 << 20
)

// CommandJob compares a command of the built-in tool bash with the same command of the system's
// bash and coreutils. The tool is called through Registry.Execute.
type CommandJob struct {
	Name string `json:"name"`
	Summary
	Of      Summary `json:"of"`
	Missing string  `json:"missing,omitempty"`
}

// commandScripts are the measured commands. Each reads in.txt and writes out.txt.
var commandScripts = []struct{ name, script string }{
	{"sort", "sort in.txt >out.txt"},
	{"sort -n", "sort -n in.txt >out.txt"},
	{"sed s", "sed 's/ab/X/' in.txt >out.txt"},
	{"while read", `n=0; while read -r l; do n=$((n+1)); done <in.txt; echo "$n $l" >out.txt`},
}

// CommandNames returns the names of the measured commands.
func CommandNames() []string {
	var names []string
	for _, c := range commandScripts {
		names = append(names, c.name)
	}
	return names
}

// Commands measures commands of the tool bash. The commands, and the two systems, take turns.
func Commands(ctx context.Context, s peer.Setup, p Plan, progress func(string)) []CommandJob {
	progress("shell commands")
	jobs := make([]CommandJob, len(commandScripts))
	for i, name := range CommandNames() {
		jobs[i].Name = name
	}
	if err := measureCommands(ctx, s, p, jobs); err != nil {
		for i := range jobs {
			jobs[i].Missing = reason(err)
		}
	}
	return jobs
}

func measureCommands(ctx context.Context, s peer.Setup, p Plan, jobs []CommandJob) error {
	dir, err := os.MkdirTemp("", "wasmtool-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	size := commandBytes
	if p.Commands == 1 {
		size = quickCommandBytes
	}
	if err := os.WriteFile(filepath.Join(dir, "in.txt"), words(size), 0o600); err != nil {
		return err
	}
	write, err := capability.ParsePermission("write:" + capability.WorkspaceMount)
	if err != nil {
		return err
	}
	tools, err := standard.New(standard.Options{
		Workspace: dir,
		Runtime:   runtime.Options{CacheDir: filepath.Join(s.Cache, "runtime")},
		Registry: registry.Options{
			Rules: registry.Rules{Granted: []capability.Permission{write}},
			Approvals: registry.ApprovalOptions{Approver: registry.ApproverFunc(func(context.Context, registry.Question) (registry.Answer, error) {
				return registry.Answer{Yes: true}, nil // a script that writes to a file asks
			})},
		},
	})
	if err != nil {
		return err
	}
	defer tools.Close()
	durations := make([][2][]time.Duration, len(jobs))
	for range p.Commands + 1 { // the first round warms up
		for i, c := range commandScripts {
			sandboxed, output, err := runCommand(dir, func() error {
				arguments, err := json.Marshal(map[string]string{"command": c.script})
				if err != nil {
					return err
				}
				_, err = tools.Execute(ctx, tool.Call{Tool: "bash", Arguments: arguments})
				return err
			})
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			native, want, err := runCommand(dir, func() error {
				command := exec.CommandContext(ctx, "bash", "-c", c.script)
				command.Dir, command.Env = dir, append(os.Environ(), "LC_ALL=C")
				return command.Run()
			})
			if err != nil {
				return fmt.Errorf("%s of the system: %w", c.name, err)
			}
			if !bytes.Equal(output, want) {
				return fmt.Errorf("%s wrote %.100q, and the system's %.100q", c.name, output, want)
			}
			durations[i][0], durations[i][1] = append(durations[i][0], sandboxed), append(durations[i][1], native)
		}
	}
	for i := range jobs {
		jobs[i].Summary, jobs[i].Of = Summarise(durations[i][0][1:]), Summarise(durations[i][1][1:])
	}
	return nil
}

// runCommand returns how long run takes, and the content of the file out.txt that it writes.
func runCommand(dir string, run func() error) (time.Duration, []byte, error) {
	name := filepath.Join(dir, "out.txt")
	if err := os.RemoveAll(name); err != nil {
		return 0, nil, err
	}
	start := time.Now()
	if err := run(); err != nil {
		return 0, nil, err
	}
	took := time.Since(start)
	output, err := os.ReadFile(name)
	return took, output, err
}

// words returns lines of 40 to 80 bytes, each a number and words, which are the same in every run.
func words(size int) []byte {
	random := rand.New(rand.NewPCG(17, 20))
	vocabulary := make([]string, 2000)
	for i := range vocabulary {
		word := make([]byte, 2+random.IntN(8))
		for j := range word {
			word[j] = "etaoinshrdlucmfwypvbgk"[random.IntN(22)]
		}
		vocabulary[i] = string(word)
	}
	text := make([]byte, 0, size+100)
	for len(text) < size {
		start, wanted := len(text), 40+random.IntN(32)
		text = fmt.Append(text, random.IntN(1_000_000))
		for len(text)-start < wanted {
			text = append(append(text, ' '), vocabulary[random.IntN(len(vocabulary))]...)
		}
		text = append(text, '\n')
	}
	return text
}
