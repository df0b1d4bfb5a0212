package testlevel

import (
	"strings"
	"testing"
)

// recorder is a test of which only the name and the end are looked at.
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
		times        int
	}{
		{"", false, false, 3},
		{"long", true, false, 50},
		{"timing", false, true, 3},
		{"timing,long", true, true, 50},
		{"longest", false, false, 3},
	} {
		t.Setenv(variable, tt.variable)
		for level, want := range map[string]bool{"long": tt.long, "timing": tt.timing} {
			r := &recorder{name: "TestTimingOfX/sub"}
			map[string]func(testing.TB, string){"long": Long, "timing": Timing}[level](r, "a reason")
			if ran := r.skipped == ""; ran != want || r.failed != "" {
				t.Errorf("%q: a test of the level %s ran: %v, want %v; failed: %q", tt.variable, level, ran, want, r.failed)
			}
		}
		if got := Size(3, 50); got != tt.times {
			t.Errorf("%q: %d times, want %d", tt.variable, got, tt.times)
		}
	}
}

func TestTimingTestsAreFoundByName(t *testing.T) {
	t.Setenv(variable, "timing")
	r := &recorder{name: "TestSpeed"}
	Timing(r, "a reason")
	if !strings.Contains(r.failed, "begins with") {
		t.Errorf("a test that 'make test-timing' does not find is not refused: %q", r.failed)
	}
}
