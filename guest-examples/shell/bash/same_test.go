package bash

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/internal/testprogram"
)

// outcome is the standard output and the exit status of a script.
type outcome struct {
	stdout string
	status int
}

// limit is the time after which a hanging script is stopped.
const limit = 20 * time.Second

// hangs is the status of a script that our shell did not end within the time limit.
const hangs = -2

// systemBash returns the path of the system's bash, which is the reference for the tests.
func systemBash(t *testing.T) string {
	t.Helper()
	name := testprogram.Path(t, "bash")
	if out, err := exec.Command(name, "-c", "echo $BASH_VERSION").Output(); err != nil || !strings.HasPrefix(string(out), "5.") {
		testprogram.Missing(t, "bash 5")
	}
	return name
}

// theirs runs a script in dir with the system's bash.
func theirs(t *testing.T, bash, dir, text string) (outcome, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, bash, "--noprofile", "--norc", "-c", text)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin", "HOME=" + cmd.Dir, "TZ=UTC", "TMPDIR=" + os.TempDir()}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Error(err)
		return outcome{}, ""
	}
	return outcome{stdout.String(), cmd.ProcessState.ExitCode()}, stderr.String()
}

// ours runs a script in dir with the shell of the tool.
func ours(t *testing.T, dir, text string) (outcome, string) {
	t.Helper()
	ctx, cancel := newClock(t.Context(), limit)
	defer cancel(nil)
	host := Host{Commands: commandTable(), Workspace: dir, Temp: os.TempDir(), Environ: []string{"LC_ALL=C", "TZ=UTC"}}
	s := newShell(host, cancel)
	defer s.removeTemps()
	var stdout, stderr capture
	ended := make(chan int, 1)
	go func() { ended <- s.main(ctx, text, dir, strings.NewReader(""), &stdout, &stderr).status }()
	var status int
	select {
	case status = <-ended:
	case <-time.After(limit + 5*time.Second):
		status = hangs
	}
	out, _, _ := stdout.text()
	errs, _, _ := stderr.text()
	return outcome{out, status}, errs
}

// The shell behaves as the system's bash does.
func TestSameAsBash(t *testing.T) {
	bash := systemBash(t)
	for _, file := range caseFiles(t) {
		// The files run one after another, because the shell limits goroutines, and waiting tests
		// are goroutines too.
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, c := range scripts(t, file) {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					want, wantErr := theirs(t, bash, copyOfTree(t), c.text)
					if strings.Contains(wantErr, "command not found") {
						testprogram.Missing(t, wantErr)
					}
					got, gotErr := ours(t, copyOfTree(t), c.text)
					if got != want {
						t.Errorf("%s\ngot  %d %q\n     %q\nwant %d %q\n     %q", c.text, got.status, got.stdout, gotErr, want.status, want.stdout, wantErr)
					}
				})
			}
		})
	}
}

// The listed scripts differ from bash for the reasons given. A script that no longer differs must
// move to the other cases.
func TestDifferences(t *testing.T) {
	bash := systemBash(t)
	for _, c := range scripts(t, filepath.Join("testdata", "differences.txt")) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !strings.HasPrefix(c.text, "# ") {
				t.Error("the first line must be a comment that gives the reason")
			}
			want, _ := theirs(t, bash, copyOfTree(t), c.text)
			if got, _ := ours(t, copyOfTree(t), c.text); got == want {
				t.Errorf("%s\nboth give %d %q: move the case to testdata/cases", c.text, got.status, got.stdout)
			}
		})
	}
}
