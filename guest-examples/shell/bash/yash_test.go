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

	"github.com/wasmtool/wasmtool/guest-examples/internal/corpora"
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
		s.commands[name] = s.shellCommand // lets a script start the shell under test
	}
	environ := os.Environ()
	return s.shellCommand(ctx, &command.Env{
		Args: append([]string{"sh"}, os.Args[1:]...), Dir: dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: lookup(environ), Environ: func() []string { return environ },
	})
}

// The shell passes the POSIX tests of the shell yash that the system's bash passes, except those
// that testdata/corpora/yash.txt lists with the reason.
func TestYash(t *testing.T) {
	tests := filepath.Join(corpora.Dir(t, "yash"), "tests")
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
	var results corpora.Results
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] || want[name] {
			results.Add(name, got[name])
		}
	}
	corpora.Check(t, filepath.Join("testdata", "corpora", "yash.txt"), results)
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
