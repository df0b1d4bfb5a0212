package loop

import (
	"fmt"
	"strings"
	"testing"
)

// play makes the calls of a script and returns one character for each: "." passed, "w" passed with
// a warning, "a" asked, "b" refused. A call is the name of its tool, with the outcome in brackets:
// a result, "!" for a change, "y" for an approval. A call without "y" is refused if the approver is
// asked about it.
func play(d *Detector, session, script string) string {
	said := ""
	for _, word := range strings.Fields(script) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(word, ")"), "(")
		c := Call{Tool: name, Arguments: "same", Polling: name == "poll"}
		verdict, _ := d.Check("tenant", session, c)
		o := Outcome{Result: strings.Trim(rest, "!y"), Changed: strings.Contains(rest, "!"), Approved: strings.Contains(rest, "y")}
		o.Refused = verdict == Block || verdict == Ask && !o.Approved
		if o.Refused {
			o.Result = "refused"
		}
		o.Approved = o.Approved && !o.Refused
		warn, _ := d.Record("tenant", session, c, o)
		switch {
		case verdict == Block:
			said += "b"
		case verdict == Ask:
			said += "a"
		case warn:
			said += "w"
		default:
			said += "."
		}
	}
	return said
}

func repeat(n int, script string) string { return strings.Repeat(script+" ", n) }

func TestLoops(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"one call", repeat(12, "A"), "..wwaaaaabbb"},
		{"different calls", "A B C D E F G H I J K L", "............"},
		{"a sequence of two", repeat(6, "A B"), ".....wwwwaaa"},
		{"a sequence of four", repeat(5, "A B C D"), "...........wwwwwwwwa"},
		{"a sequence of five is not detected", repeat(6, "A B C D E"), strings.Repeat(".", 30)},
		{"a result that changes is progress", "A(1) A(2) A(3) A(4) A(5) A(6) A(7)", "......."},
		{"a new result resets the count", "A A A A(new) A(new) A(new)", "..w..w"},
		{"an effect is progress", repeat(8, "A(!)"), "........"},
		{"an effect resets the count", "A A A(!) A A A", ".....w"},
		{"a different call resets the count", "A A B A A B A A", "........"},
		{"an approval resets the count", "A A A A A(y) A A A A(y) A", "..wwa.wwa."},
		{"a refusal is not progress", "A A A A A A(x) A(x)", "..wwaaa"},
		{"a tool that is polled", repeat(119, "poll"), strings.Repeat(".", 119)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := play(New(Options{}), "s", tt.script); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// The ceiling applies regardless of approvals. For a tool that is polled, it is four times as high.
func TestCeiling(t *testing.T) {
	for script, at := range map[string]int{"A(y)": 30, "poll(y)": 120} {
		got := play(New(Options{}), "s", repeat(150, script))
		if first := strings.Index(got, "b") + 1; first != at || strings.Contains(got[at:], ".") {
			t.Errorf("%s: refused first at %d, want %d: %s", script, first, at, got)
		}
	}
	// A different call in between ends the loop, so the refused call may run again.
	d := New(Options{})
	if got := play(d, "s", repeat(31, "A(y)")+"B A"); !strings.HasSuffix(got, "b..") {
		t.Errorf("got %s", got)
	}
}

func TestOptions(t *testing.T) {
	tests := map[string]struct {
		o    Options
		want string
	}{
		"off":            {Options{Off: true}, "........"},
		"never asks":     {Options{Ask: -1, Block: 6}, "..wwwbbb"},
		"other numbers":  {Options{Warn: 2, Ask: 3, Block: 4, Ceiling: 5}, ".wabbbbb"},
		"a ceiling only": {Options{Warn: -1, Ask: -1, Block: -1, Ceiling: 7}, "......bb"},
	}
	for name, tt := range tests {
		if got := play(New(tt.o), "s", repeat(8, "A")); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}

// The calls of a tenant without a session only get warnings, however often one is repeated. The
// record of these calls is bounded.
func TestCallsWithoutSessionOnlyWarn(t *testing.T) {
	d := New(Options{})
	if got, want := play(d, "", repeat(200, "A")), ".."+strings.Repeat("w", 198); got != want {
		t.Errorf("got %s", got)
	}
	if got := play(d, "", "B "+repeat(3, "C D E F")); got != strings.Repeat(".", 12)+"w" {
		t.Errorf("a sequence of four: %s", got)
	}
	d.sessions.Look("tenant", "", func(steps *[]step) {
		if len(*steps) > 2*maxPeriod*DefaultWarn {
			t.Errorf("%d calls are kept", len(*steps))
		}
	})
	if got, found := d.Find("tenant", ""); !found || got.Period() != 4 {
		t.Errorf("found %v, %v", got, found)
	}
	if got, found := d.Find("other", ""); found {
		t.Errorf("another tenant has %v", got)
	}
	if got := play(New(Options{Off: true}), "", repeat(5, "A")); got != "....." {
		t.Errorf("switched off: %s", got)
	}
}

// Each session is watched separately.
func TestSessionsAreSeparate(t *testing.T) {
	d := New(Options{})
	play(d, "", repeat(4, "A"))
	play(d, "one", repeat(4, "A"))
	if got := play(d, "two", "A"); got != "." {
		t.Errorf("another session: %s", got)
	}
	if got, found := d.Find("tenant", "one"); !found || got.Count != 4 || fmt.Sprint(got.Tools) != "[A]" || !strings.Contains(got.String(), "A was called 4 times") {
		t.Errorf("got %v, %v", got, found)
	}
	if got, found := d.Find("other", "one"); found {
		t.Errorf("another tenant has %v", got)
	}
	d.Forget("tenant", "one")
	if got, found := d.Find("tenant", "one"); found {
		t.Errorf("after forgetting: %v", got)
	}
}

// The record of a session is bounded, and loops are still found at the bound.
func TestRecordedCallsAreBounded(t *testing.T) {
	d := New(Options{})
	for i := range 5000 {
		d.Record("tenant", "s", Call{Tool: "x", Arguments: fmt.Sprint(i)}, Outcome{})
	}
	if got := play(d, "s", repeat(5, "A B")); got != ".....wwwwa" {
		t.Errorf("got %s", got)
	}
	d.sessions.Look("tenant", "s", func(steps *[]step) {
		if len(*steps) > 2*pollingFactor*DefaultCeiling {
			t.Errorf("%d calls are kept", len(*steps))
		}
	})
}
