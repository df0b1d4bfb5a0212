package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/examples"
	"github.com/wasmtool/wasmtool/manifests"
)

// watchInterval is the time between two looks at the files of a tool.
const watchInterval = 300 * time.Millisecond

func newDevCommand(a *app) *cobra.Command {
	o := testOptions{toolOptions: toolOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "dev [DIR]",
		Short: "Build and test a tool again whenever a file of it changes",
		Long: `Watch the files of the tool in DIR, or in this directory. Build it ('wasmtool build', unless it
is a script) and run its examples ('wasmtool test'), at once and after each change, and say
which examples are now fixed or broken. A build or test that fails does not end the command;
Ctrl-C does. As in 'wasmtool test', an example has every permission that the manifest requests, so
there is nothing to grant. Files of a name that begins with a dot, node_modules, target and the module
itself are not watched.

Exit status: 0 when it is interrupted; 2 if there is no tool.`,
		Example: `  wasmtool dev
  wasmtool dev ./my-tool --network`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := append(args, here)[0]
			if !isTool(dir) {
				return usage(cmd, "there is no "+manifests.FileName+" in "+dir+"; create a tool with 'wasmtool new NAME'")
			}
			ticker := time.NewTicker(watchInterval)
			defer ticker.Stop()
			return o.dev(cmd, dir, ticker.C)
		},
	}
	o.addCache(cmd)
	cmd.Flags().BoolVar(&o.network, "network", false, "also run the examples that need the network, and let them reach the servers that their manifests name")
	return cmd
}

// dev builds and tests the tool in dir, and again after each tick that finds a changed file, until
// the context of cmd is done.
func (o testOptions) dev(cmd *cobra.Command, dir string, ticks <-chan time.Time) error {
	ctx := cmd.Context()
	before := make(map[string]examples.Status)
	seen := snapshot{}
	for ctx.Err() == nil {
		now := takeSnapshot(dir)
		if changed := now.changedSince(seen); len(changed) > 0 {
			if len(seen) > 0 {
				o.note("%s changed", oneLine(strings.Join(changed, ", ")))
			}
			before = o.buildAndTest(cmd, dir, before)
			// What the build made, such as a lock file, does not count.
			now = takeSnapshot(dir).keeping(now)
		}
		seen = now
		select {
		case <-ctx.Done():
		case <-ticks:
		}
	}
	return nil
}

// buildAndTest builds and tests a tool once, and returns the status of its examples. It prints
// errors, because the author will mend them.
func (o testOptions) buildAndTest(cmd *cobra.Command, dir string, before map[string]examples.Status) map[string]examples.Status {
	if m, err := readManifest(dir); err == nil && m.Script.Path == "" && m.Module.Path != "" {
		if err := o.build(cmd, dir, buildOptions{}); err != nil {
			o.warn(err)
			return before
		}
	}
	report, _, err := o.report(cmd, []string{dir}) // it has printed why a tool does not load
	if err != nil {
		o.warn(err)
		return before
	}
	if err := o.printOutcomes(report); err != nil {
		o.warn(err)
	}
	now := make(map[string]examples.Status)
	for _, outcome := range report.Outcomes {
		now[outcome.Title] = outcome.Status
	}
	for _, title := range slices.Sorted(maps.Keys(now)) {
		switch was := before[title]; {
		case was == examples.Failed && now[title] == examples.Passed:
			o.note("fixed: %s", oneLine(title))
		case was == examples.Passed && now[title] == examples.Failed:
			o.note("broken: %s", oneLine(title))
		}
	}
	o.note("waiting for changes; press Ctrl-C to stop")
	return now
}

// snapshot has the state of each file of a tool, by its path.
type snapshot map[string]string

// takeSnapshot looks at the files below dir. It leaves out what is unreadable.
func takeSnapshot(dir string) snapshot {
	module := ""
	if m, err := readManifest(dir); err == nil {
		module = filepath.Clean(filepath.FromSlash(m.Module.Path))
	}
	s := make(snapshot)
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(dir, path)
		if errors.Join(err, relErr) != nil || rel == "." {
			return nil
		}
		switch name := entry.Name(); {
		case strings.HasPrefix(name, "."), entry.IsDir() && slices.Contains([]string{"node_modules", "target", "__pycache__"}, name):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case !entry.IsDir() && rel != module:
			if info, err := entry.Info(); err == nil {
				s[filepath.ToSlash(rel)] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
			}
		}
		return nil
	})
	return s
}

// changedSince lists the files that are new, gone or different, sorted.
func (s snapshot) changedSince(before snapshot) []string {
	changed := make(map[string]bool)
	for name, state := range s {
		if before[name] != state {
			changed[name] = true
		}
	}
	for name := range before {
		if _, there := s[name]; !there {
			changed[name] = true
		}
	}
	return slices.Sorted(maps.Keys(changed))
}

// keeping returns s with the states of files in before: a file that changed while the tool was
// built is still a change.
func (s snapshot) keeping(before snapshot) snapshot {
	maps.Copy(s, before)
	return s
}
