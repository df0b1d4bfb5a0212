package bash

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
)

// testeeVariable makes the test binary run a script as the shell does, instead of tests.
const testeeVariable = "WASMTOOL_TESTEE"

// testee runs the shell with the arguments, the streams and the environment of the process. The
// script is in the standard input, a file or the argument of -c.
func testee() int {
	dir, err := os.Getwd()
	if err != nil {
		return statusUsage
	}
	ctx, cancel := newClock(context.Background(), 5*time.Second)
	defer cancel(nil)
	s := newShell(Host{Commands: commandTable(), Workspace: dir, Temp: os.TempDir()}, cancel)
	defer s.removeTemps()
	if name := os.Getenv("TESTEE"); name != "" {
		s.commands[name] = s.shellCommand // a script that runs the shell which runs it
	}
	environ := os.Environ()
	return s.shellCommand(ctx, &command.Env{
		Args: append([]string{"sh"}, os.Args[1:]...), Dir: dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: lookup(environ), Environ: func() []string { return environ },
	})
}

// The shell passes the POSIX tests of the shell yash that the system's bash passes, except those
// that testdata/yash.txt lists with the reason. WASMTOOL_CORPORA names a directory with a clone of
// yash.
func TestYash(t *testing.T) {
	corpora := os.Getenv("WASMTOOL_CORPORA")
	if corpora == "" {
		t.Skip("WASMTOOL_CORPORA is not set; to run the tests of yash, set it to a directory with a clone named yash")
	}
	tests := filepath.Join(corpora, "yash", "tests")
	bash := systemBash(t)
	// The wrapper keeps bash from its POSIX mode, which the name sh would select.
	wrapper := filepath.Join(t.TempDir(), "testee")
	if err := os.WriteFile(wrapper, []byte("#!"+bash+"\nexec "+bash+" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var want, got map[string]bool
	var running sync.WaitGroup
	running.Go(func() { want = yashResults(t, tests, bash, wrapper) })
	running.Go(func() { got = yashResults(t, tests, bash, self) })
	running.Wait()
	known := knownFailures(t, filepath.Join("testdata", "yash.txt"))
	passed := 0
	for _, name := range slices.Sorted(maps.Keys(want)) {
		reason, listed := known[name]
		delete(known, name)
		switch {
		case got[name] && listed:
			t.Errorf("%s passes: remove it from testdata/yash.txt (%s)", name, reason)
		case want[name] && !got[name] && !listed:
			t.Errorf("%s fails", name)
		}
		if got[name] {
			passed++
		}
	}
	for name := range known {
		t.Errorf("%s is listed in testdata/yash.txt, but did not run", name)
	}
	t.Logf("%d of %d tests passed", passed, len(want))
}

// yashResults runs the POSIX tests of yash for a shell, and returns their names and whether they
// passed. It leaves out the tests of signals, jobs, terminals and umask, which the sandbox lacks.
func yashResults(t *testing.T, tests, bash, shell string) map[string]bool {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(tests)); err != nil {
		t.Error(err)
		return nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "*-p.tst"))
	if err != nil || len(files) == 0 {
		t.Errorf("%s has no tests of POSIX: %v", tests, err)
		return nil
	}
	passed := map[string]bool{}
	for _, file := range files {
		if regexp.MustCompile(`^(sig|kill|bg|fg|job|testtty|umask)`).MatchString(filepath.Base(file)) {
			continue
		}
		cmd := exec.CommandContext(t.Context(), bash, "--posix", "run-test.sh", shell, filepath.Base(file))
		cmd.Dir, cmd.WaitDelay = dir, time.Second
		cmd.Env = append(os.Environ(), testeeVariable+"=yes", "LC_ALL=C")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Logf("%s: %v\n%s", filepath.Base(file), err, out)
		}
		results, err := os.ReadFile(strings.TrimSuffix(file, ".tst") + ".trs")
		if err != nil {
			t.Error(err)
			continue
		}
		for _, result := range regexp.MustCompile(`(?m)^%%% (PASSED|FAILED): (\S+):\d+: (.*)$`).FindAllStringSubmatch(string(results), -1) {
			passed[result[2]+": "+result[3]] = result[1] == "PASSED"
		}
	}
	return passed
}

// knownFailures reads a list of tests. A line that begins with "# " gives the reason for the tests
// below it.
func knownFailures(t *testing.T, file string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	known, reason := map[string]string{}, ""
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "# "); ok {
			reason = text
		} else if line != "" {
			if reason == "" {
				t.Errorf("%s has no reason", line)
			}
			known[line] = reason
		}
	}
	return known
}
