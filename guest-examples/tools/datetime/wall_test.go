package datetime

import (
	"archive/zip"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
)

// In each zone of the tz database and at each change of clocks, a skipped time moves forward by the
// length of the gap, and a repeated time is its first occurrence.
func TestWallTimesOfAllZones(t *testing.T) {
	from, to := time.Date(1850, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	gaps, repeats := 0, 0
	for _, name := range zoneNames(t) {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for change := from.In(zone); change.Before(to); {
			change = offsetEnd(change)
			before, after := offsetAt(change.Add(-time.Second)), offsetAt(change)
			jump := after - before
			if jump == 0 {
				continue
			}
			// oldClock and newClock are the times that clocks show before and after the change.
			oldClock, newClock := wall(change).Add(-jump), wall(change)
			for _, part := range []time.Duration{0, jump.Abs() / 2, jump.Abs() - time.Second} {
				shown, want := oldClock.Add(part), change.Add(part).In(zone)
				if jump < 0 {
					shown = newClock.Add(part)
					want = change.Add(jump + part).In(zone)
				}
				got, note := atWall(shown, zone)
				if !got.Equal(want) || note == "" {
					t.Errorf("%s at %s: got %s, %q; want %s", name, shown, got, note, want)
				}
			}
			if jump > 0 {
				gaps++
			} else {
				repeats++
			}
			if got, note := atWall(oldClock.Add(-time.Second), zone); jump > 0 && (!got.Equal(change.Add(-time.Second)) || note != "") {
				t.Errorf("%s before %s: got %s, %q", name, change, got, note)
			}
		}
	}
	if gaps < 1000 || repeats < 1000 {
		t.Errorf("only %d gaps and %d repeats", gaps, repeats)
	}
}

// offsetAt returns the offset of the zone of t.
func offsetAt(t time.Time) time.Duration {
	_, offset := t.Zone()
	return time.Duration(offset) * time.Second
}

// zoneNames lists the zones that Go has.
func zoneNames(t *testing.T) []string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	var names []string
	for _, f := range archive.File {
		if !strings.HasSuffix(f.Name, "/") {
			names = append(names, f.Name)
		}
	}
	return names
}

func TestWallTimesThatClocksSkipOrRepeat(t *testing.T) {
	for _, test := range []struct{ zone, wall, want, note string }{
		{"America/Asuncion", "2024-10-06T00:00", "2024-10-06T01:00:00-03:00", "skip"},
		{"America/Asuncion", "2024-10-06T00:59:59", "2024-10-06T01:59:59-03:00", "skip"},
		{"Europe/Berlin", "2026-03-29T02:30", "2026-03-29T03:30:00+02:00", "skip"},
		{"America/New_York", "2026-03-08T02:30", "2026-03-08T03:30:00-04:00", "skip"},
		{"Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-04T02:45:00+11:00", "skip"},
		{"Africa/Cairo", "2026-04-24T00:30", "2026-04-24T01:30:00+03:00", "skip"},
		{"Asia/Beirut", "2026-03-29T00:00", "2026-03-29T01:00:00+03:00", "skip"},
		{"Pacific/Apia", "2011-12-30T12:00", "2011-12-31T12:00:00+14:00", "skip"},
		{"Asia/Pyongyang", "2018-05-04T23:45", "2018-05-05T00:15:00+09:00", "skip"},
		{"Europe/Berlin", "2026-10-25T02:30", "2026-10-25T02:30:00+02:00", "twice"},
		{"America/New_York", "2026-11-01T01:30", "2026-11-01T01:30:00-04:00", "twice"},
		{"Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-05T01:45:00+11:00", "twice"},
		{"America/Caracas", "2007-12-09T02:45", "2007-12-09T02:45:00-04:00", "twice"},
		{"Antarctica/Troll", "2026-10-25T02:30", "2026-10-25T02:30:00+02:00", "twice"},
		{"Antarctica/Troll", "2026-03-29T01:30", "2026-03-29T03:30:00+02:00", "skip"},
		{"Africa/Casablanca", "2026-02-15T02:30", "2026-02-15T02:30:00+01:00", "twice"},
		{"Europe/Dublin", "2026-03-29T01:30", "2026-03-29T02:30:00+01:00", "skip"},
		{"Asia/Kolkata", "2026-03-29T02:30", "2026-03-29T02:30:00+05:30", ""},
	} {
		var out tooltest.Output
		if err := Run(clock, Args{Operation: Convert, Time: test.wall, Zone: test.zone}, &out); err != nil {
			t.Fatal(err)
		}
		got, rest, _ := strings.Cut(out.String(), "\n")
		if got != test.want || strings.Contains(rest, "note:") != (test.note != "") || !strings.Contains(rest, test.note) {
			t.Errorf("%s in %s: got %s, %q; want %s", test.wall, test.zone, got, rest, test.want)
		}
	}
}
