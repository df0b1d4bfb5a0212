package measure

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/peer"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// The searched tree: the number of files and directories, and the approximate size of a file in
// bytes.
const (
	treeFiles = 20_000
	treeDirs  = 400
	treeBytes = 1200
)

// warmCalls is the number of consecutive calls of read and edit.
const warmCalls = 10

// FileJob compares a built-in file tool with an alternative program. The tool is called through
// Registry.Execute; the program runs as a process for each call. Both do the job once before the
// measurement.
type FileJob struct {
	Tool string `json:"tool"`
	// Program is the alternative; empty if there is none.
	Program string `json:"program,omitempty"`
	Summary
	Of      Summary `json:"of"`
	Missing string  `json:"missing,omitempty"`
}

// fileJob is a FileJob with the calls to make.
type fileJob struct {
	*FileJob
	arguments func(i int) string
	argv      []string
	check     string // substring that both outputs must contain
	// inARow is the number of consecutive calls in each round. A tool that is measured warm makes
	// several calls, because the searches before them evict its data from the processor's caches.
	inARow   int
	done     int // number of calls made
	tool, of []time.Duration
}

// Files measures the file tools.
func Files(ctx context.Context, s peer.Setup, p Plan, progress func(string)) []FileJob {
	progress("file tools")
	dir, err := os.MkdirTemp("", "wasmtool-bench-")
	if err != nil {
		return []FileJob{{Missing: reason(err)}}
	}
	defer os.RemoveAll(dir)
	if err := writeTree(dir); err != nil {
		return []FileJob{{Missing: reason(err)}}
	}
	write, err := capability.ParsePermission("write:" + capability.WorkspaceMount)
	if err != nil {
		return []FileJob{{Missing: reason(err)}}
	}
	tools, err := standard.New(standard.Options{
		Workspace: dir,
		Runtime:   runtime.Options{CacheDir: filepath.Join(s.Cache, "runtime")},
		Registry:  registry.Options{Rules: registry.Rules{Granted: []capability.Permission{write}}},
	})
	if err != nil {
		return []FileJob{{Missing: reason(err)}}
	}
	defer tools.Close()

	same := func(arguments string) func(int) string { return func(int) string { return arguments } }
	last := fmt.Sprintf("d%d/f%d.go", treeDirs-1, treeFiles-1)
	results := []FileJob{{Tool: "grep", Program: "rg"}, {Tool: "glob", Program: "fdfind"}, {Tool: "read"}, {Tool: "edit"}}
	jobs := []*fileJob{
		{arguments: same(`{"pattern": "func needle"}`), argv: []string{"rg", "-n", "func needle", "."}, check: last, inARow: 1},
		{arguments: same(`{"pattern": "**/*9.go", "limit": 1000}`), argv: []string{"fdfind", "--glob", "*9.go", "."}, check: last, inARow: 1},
		{arguments: same(`{"file_path": "` + last + `"}`), check: "func needle", inARow: warmCalls},
		{arguments: func(i int) string {
			return fmt.Sprintf(`{"file_path": "edited.txt", "old_string": "number %d", "new_string": "number %d"}`, i, i+1)
		}, check: "edited.txt", inARow: warmCalls},
	}
	for i, job := range jobs {
		job.FileJob = &results[i]
	}
	for range p.Files + 1 { // the first round warms up
		for _, job := range jobs {
			for range job.inARow {
				if err := job.once(ctx, tools.Execute, dir); err != nil {
					job.Missing = reason(err)
				}
			}
		}
	}
	for _, job := range jobs {
		if job.Missing == "" {
			job.Summary, job.Of = Summarise(job.tool[job.inARow:]), Summarise(job.of[min(1, len(job.of)):])
		}
	}
	return results
}

// once runs the job one time with the tool, and one time with the alternative program if there is
// one.
func (j *fileJob) once(ctx context.Context, execute func(context.Context, tool.Call) (tool.Result, error), dir string) error {
	call := tool.Call{Tool: j.Tool, Arguments: json.RawMessage(j.arguments(j.done))}
	j.done++
	start := time.Now()
	result, err := execute(ctx, call)
	j.tool = append(j.tool, time.Since(start))
	if err != nil {
		return err
	}
	if text := result.Text(); !strings.Contains(text, j.check) {
		return fmt.Errorf("%s returned %.200q", j.Tool, text)
	}
	if len(j.argv) == 0 {
		return nil
	}
	start = time.Now()
	command := exec.CommandContext(ctx, j.argv[0], j.argv[1:]...)
	command.Dir = dir
	output, err := command.Output()
	j.of = append(j.of, time.Since(start))
	if err == nil && !strings.Contains(string(output), j.check) {
		err = fmt.Errorf("%s printed %.200q", j.argv[0], output)
	}
	return err
}

// writeTree writes the files. One file in a thousand contains what grep searches for.
func writeTree(dir string) error {
	line := "\tif err := handle(value, other); err != nil { return err } // of what the file does\n"
	body := strings.Repeat(line, treeBytes/len(line))
	for i := range treeFiles {
		subdir := filepath.Join(dir, fmt.Sprintf("d%d", i*treeDirs/treeFiles))
		if err := os.MkdirAll(subdir, 0o700); err != nil {
			return err
		}
		text := fmt.Sprintf("package p%d\n\n%s", i, body)
		if i%1000 == 999 {
			text += "func needle() {}\n"
		}
		if err := os.WriteFile(filepath.Join(subdir, fmt.Sprintf("f%d.go", i)), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "edited.txt"), []byte(strings.Repeat(line, 40)+"number 0\n"), 0o600)
}
