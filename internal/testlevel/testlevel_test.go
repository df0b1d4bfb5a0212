package testlevel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorder is a test that records whether it was skipped or failed, and then continues.
type recorder struct {
	testing.TB
	name, skipped, failed string
}

func (r *recorder) Helper()                        {}
func (r *recorder) Name() string                   { return r.name }
func (r *recorder) Skipf(format string, a ...any)  { r.skipped = format }
func (r *recorder) Fatalf(format string, a ...any) { r.failed = format }

func TestLevels(t *testing.T) {
	for _, tt := range []struct {
		variable     string
		long, timing bool
		rounds       int
	}{
		{"", false, false, 3},
		{"long", true, false, 50},
		{"timing", false, true, 3},
		{"timing,long", true, true, 50},
		{"longest", false, false, 3},
	} {
		t.Setenv(levelsVariable, tt.variable)
		for level, want := range map[string]bool{"long": tt.long, "timing": tt.timing} {
			r := &recorder{name: "TestTimingOfX/sub"}
			map[string]func(testing.TB, string){"long": Long, "timing": Timing}[level](r, "a reason")
			if ran := r.skipped == ""; ran != want || r.failed != "" {
				t.Errorf("%q: a test of the level %s ran: %v, want %v; failed: %q", tt.variable, level, ran, want, r.failed)
			}
		}
		if got := Size(3, 50); got != tt.rounds {
			t.Errorf("%q: %d rounds, want %d", tt.variable, got, tt.rounds)
		}
	}
}

func TestTimingTestsAreFoundByName(t *testing.T) {
	t.Setenv(levelsVariable, "timing")
	r := &recorder{name: "TestSpeed"}
	Timing(r, "a reason")
	if !strings.Contains(r.failed, "begin with") {
		t.Errorf("a test that 'make test-timing' does not find is accepted: %q", r.failed)
	}
}

func TestMissingProgramFailsOnlyWhereRequired(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(self))
	for _, tt := range []struct {
		name, variable  string
		skipped, failed bool
	}{
		{filepath.Base(self), "", false, false},
		{filepath.Base(self), "required", false, false},
		{"no-such-program", "", true, false},
		{"no-such-program", "required", false, true},
	} {
		t.Setenv(programsVariable, tt.variable)
		r := &recorder{name: t.Name()}
		path := Program(r, tt.name)
		if (r.failed != "") != tt.failed || (r.skipped != "" && r.failed == "") != tt.skipped {
			t.Errorf("%s, %q: skipped: %q, failed: %q", tt.name, tt.variable, r.skipped, r.failed)
		}
		if found := path != ""; found == (tt.skipped || tt.failed) {
			t.Errorf("%s, %q: the path is %q", tt.name, tt.variable, path)
		}
	}
}
