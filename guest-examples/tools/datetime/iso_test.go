package datetime

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
)

func TestFormsOfISO8601(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"2024-01-01T12:00Z", "2024-01-01T12:00:00Z"},
		{"2024-01-01T12:00+01:00", "2024-01-01T12:00:00+01:00"},
		{"2024-01-01T12:00+0530", "2024-01-01T12:00:00+05:30"},
		{"2024-01-01T12:00:00+0530", "2024-01-01T12:00:00+05:30"},
		{"2024-01-01T12:00:00-08", "2024-01-01T12:00:00-08:00"},
		{"2024-01-01T12:00:00-00:00", "2024-01-01T12:00:00Z"},
		{"2024-01-01 12:00:00 +0100", "2024-01-01T12:00:00+01:00"}, // git log --date=iso
		{"2024-01-01t12:00:00z", "2024-01-01T12:00:00Z"},
		{"2024-01-01T12Z", "2024-01-01T12:00:00Z"},
		{"2024-01-01T12", "2024-01-01T12:00:00Z"},
		{"2024-01-01T9:05", "2024-01-01T09:05:00Z"},
		{"2024-01-01T12:00:00.5Z", "2024-01-01T12:00:00.5Z"},
		{"2024-01-01T12:00:00,25+01:00", "2024-01-01T12:00:00.25+01:00"},
		{"2024-01-01T12:00:00.123456789987Z", "2024-01-01T12:00:00.123456789Z"},
		{"2024-01-01T24:00", "2024-01-02T00:00:00Z"},
		{"2024-12-31T24:00:00Z", "2025-01-01T00:00:00Z"},
		{"20240131", "2024-01-31T00:00:00Z"},
		{"20240131T1504", "2024-01-31T15:04:00Z"},
		{"20240131T150405Z", "2024-01-31T15:04:05Z"},
		{"20240131T150405.75+0100", "2024-01-31T15:04:05.75+01:00"},
		{"20240131T15-03", "2024-01-31T15:00:00-03:00"},
		{"2024-060", "2024-02-29T00:00:00Z"},
		{"2024-366T12:00Z", "2024-12-31T12:00:00Z"},
		{"2026-W01-1", "2025-12-29T00:00:00Z"},
		{"2026W537", "2027-01-03T00:00:00Z"},
		{"2024-W09-4T12:00+01:00", "2024-02-29T12:00:00+01:00"},
		{"2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"},
		{"2016-12-31T18:59:60-05:00", "2016-12-31T19:00:00-05:00"},
		{"1972-06-30T23:59:60", "1972-07-01T00:00:00Z"},
		{"2016-12-31T23:59:60.5Z", "2017-01-01T00:00:00.5Z"},
	} {
		var out tooltest.Output
		if err := Run(clock, Args{Operation: Convert, Time: test.text}, &out); err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if got, rest, _ := strings.Cut(out.String(), "\n"); got != test.want || strings.Contains(rest, "leap second") != strings.Contains(test.text, ":60") {
			t.Errorf("%s: got %s, %q; want %s", test.text, got, rest, test.want)
		}
	}
}

func TestTimesThatAreRefused(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"2024-01-01T12:00:60Z", "has second 60, but leap seconds come only at the end of a month in UTC, at 23:59:60Z"},
		{"2024-01-15T23:59:60Z", "has second 60"},
		{"2024-01-01T23:59:61Z", "does not exist"},
		{"2024-01-01T24:01", "does not exist"},
		{"2024-01-01T12:60", "does not exist"},
		{"20240231", "does not exist"},
		{"2024-00-10", "does not exist"},
		{"2023-366", "does not exist"},
		{"2023-000", "does not exist"},
		{"2024-W53-1", "does not exist"},
		{"2024-W00-1", "does not exist"},
		{"2024-W01-8", "does not exist"},
		{"2024-W01-0", "does not exist"},
		{"2024-01-01T12:00+24:00", "has an offset that does not exist"},
		{"2024-01-01T12:00+05:60", "has an offset that does not exist"},
		{"2024-01", "is not a time"},
		{"2024-W01", "is not a time"},
		{"2024001", "is not a time"},
		{"1700000000", "is not a time"},
		{"2024-01-01+01:00", "is not a time"},
		{"2024-01-01T12:00.5", "is not a time"},
		{"2024-1-1", "is not a time"},
		{"２024-01-01", "is not a time"},
	} {
		var out tooltest.Output
		if err := Run(clock, Args{Operation: Convert, Time: test.text}, &out); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %q, %v; want an error with %q", test.text, out.String(), err, test.want)
		}
	}
}

// Offsets of zones have the same forms as offsets of times.
func TestZonesThatAreOffsets(t *testing.T) {
	for zone, want := range map[string]string{"+0530": "05:30", "-08": "-08:00", "+05:30": "+05:30"} {
		var out tooltest.Output
		if err := Run(clock, Args{Zone: zone}, &out); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: got %q, %v", zone, out.String(), err)
		}
	}
	if err := Run(clock, Args{Zone: "+25:00"}, io.Discard); err == nil || !strings.Contains(err.Error(), `zone: "+25:00" has an offset that does not exist`) {
		t.Errorf("got %v", err)
	}
}

// Each day has the same week date and ordinal date as in the time package.
func TestWeekAndOrdinalDatesOfAllDays(t *testing.T) {
	for day := time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2030; day = day.AddDate(0, 0, 1) {
		year, week := day.ISOWeek()
		for _, text := range []string{
			day.Format("2006-002"),
			day.Format("20060102"),
			fmt.Sprintf("%04d-W%02d-%d", year, week, isoWeekday(day)),
		} {
			if got, err := parseISO(text); err != nil || !got.wall.Equal(day) {
				t.Fatalf("%s: got %v, %v; want %s", text, got.wall, err, day)
			}
		}
	}
}
