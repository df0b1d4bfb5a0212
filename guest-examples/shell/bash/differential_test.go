package bash

import (
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/testrounds"
)

// grammar generates a script from random numbers. The script works in an empty directory, and
// always ends.
type grammar func(r *rand.Rand) string

// compareGenerated compares the shell with the system's bash, for the scripts of a grammar. Package
// testrounds says how many. The seed of a failed script is in the error; WASMTOOL_SEED=N begins
// with that seed.
func compareGenerated(t *testing.T, few, many int, g grammar) {
	t.Helper()
	bash := systemBash(t)
	rounds, first := testrounds.Get(t, few, many)
	const maxFailures = 10
	var next, failures atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= rounds || failures.Load() >= maxFailures {
					return
				}
				seed := first + i
				text := g(rand.New(rand.NewPCG(uint64(seed), 0)))
				if difference(t, bash, text) == "" {
					continue
				}
				failures.Add(1)
				text = shortened(t, bash, text)
				t.Errorf("seed %d:\n%s\n%s", seed, text, difference(t, bash, text))
			}
		})
	}
	workers.Wait()
}

// errorPrefix is the beginning of an error message: the name of the shell, and the line. Scripts
// redirect messages to standard output.
var errorPrefix = regexp.MustCompile(`(?m)^(bash: |[a-z/]+: line \d+: )`)

// difference runs a script with both shells. It returns "" if they give the same output and
// status.
func difference(t *testing.T, bash, text string) string {
	t.Helper()
	run := func(with func(dir string) (outcome, string)) (outcome, string) {
		dir, err := os.MkdirTemp("", "shell-test-")
		if err != nil {
			t.Error(err)
			return outcome{}, ""
		}
		defer os.RemoveAll(dir)
		out, errs := with(dir)
		out.stdout = errorPrefix.ReplaceAllString(strings.ReplaceAll(out.stdout, dir, "DIR"), "")
		return out, errs
	}
	want, wantErr := run(func(dir string) (outcome, string) { return theirs(t, bash, dir, text) })
	got, gotErr := run(func(dir string) (outcome, string) { return ours(t, dir, text) })
	if got == want {
		return ""
	}
	return "got  " + got.String() + "\n     " + strconv.Quote(gotErr) + "\nwant " + want.String() + "\n     " + strconv.Quote(wantErr)
}

func (o outcome) String() string { return strconv.Itoa(o.status) + " " + strconv.Quote(o.stdout) }

// shortened removes lines from a script while the results of the shells still differ. It stops
// after a limited number of attempts.
func shortened(t *testing.T, bash, text string) string {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	attempts := 2000
	for size := len(lines) / 2; size > 0; {
		dropped := false
		for at := 0; at+size <= len(lines) && attempts > 0; {
			attempts--
			shorter := slices.Concat(lines[:at], lines[at+size:])
			text := strings.Join(shorter, "")
			different := ""
			if _, err := parse(text, ""); err == nil {
				different = difference(t, bash, text)
			}
			if different == "" || strings.Contains(different, "syntax error") || strings.Contains(different, "here-document") ||
				strings.Contains(different, "command not found") {
				at++
				continue
			}
			lines, dropped = shorter, true
		}
		if !dropped || size > len(lines) {
			size /= 2
		}
	}
	return strings.Join(lines, "")
}
