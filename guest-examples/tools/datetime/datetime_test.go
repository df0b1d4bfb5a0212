package datetime

import (
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
)

func clock() time.Time { return time.Date(2026, 11, 27, 22, 44, 43, 500_000_000, time.UTC) }

func TestRun(t *testing.T) {
	tests := []struct {
		name string
		args Args
		want string
	}{
		{
			"now",
			Args{},
			"2026-11-27T22:44:43.5Z\nweekday: Friday\niso week: 2026-W48-5\nday of year: 331 of 365\nunix: 1795819483\nzone: UTC (+00:00)\n",
		},
		{
			"now in a zone",
			Args{Operation: Now, Zone: "Asia/Kolkata"},
			"2026-11-28T04:14:43.5+05:30\nweekday: Saturday\niso week: 2026-W48-6\nday of year: 332 of 365\nunix: 1795819483\nzone: Asia/Kolkata (+05:30, IST)\n",
		},
		{
			"first days of a year in the last week of the other",
			Args{Operation: Convert, Time: "2027-01-03"},
			"2027-01-03T00:00:00Z\nweekday: Sunday\niso week: 2026-W53-7\nday of year: 3 of 365\nunix: 1798934400\nzone: UTC (+00:00)\n",
		},
		{
			"to a zone with daylight saving time",
			Args{Operation: Convert, Time: "2024-07-01T12:00:00Z", Zone: "america/new york"},
			"2024-07-01T08:00:00-04:00\nweekday: Monday\niso week: 2024-W27-1\nday of year: 183 of 366\nunix: 1719835200\nzone: America/New_York (-04:00, EDT, daylight saving time)\n",
		},
		{
			"an offset is kept",
			Args{Operation: Convert, Time: "2026-01-31 15:04:05.25+01:00"},
			"2026-01-31T15:04:05.25+01:00\nweekday: Saturday\niso week: 2026-W05-6\nday of year: 31 of 365\nunix: 1769868245\nzone: +01:00\n",
		},
		{
			"Unix seconds before 1970",
			Args{Operation: Convert, Time: "@-1"},
			"1969-12-31T23:59:59Z\nweekday: Wednesday\niso week: 1970-W01-3\nday of year: 365 of 365\nunix: -1\nzone: UTC (+00:00)\n",
		},
		{
			"a time that clocks skip",
			Args{Operation: Convert, Time: "2026-03-29T02:30", Zone: "Europe/Berlin"},
			"2026-03-29T03:30:00+02:00\nweekday: Sunday\niso week: 2026-W13-7\nday of year: 88 of 365\nunix: 1774747800\nzone: Europe/Berlin (+02:00, CEST, daylight saving time)\nnote: clocks in Europe/Berlin skip 2026-03-29 02:30:00\n",
		},
		{
			"a time that clocks show twice",
			Args{Operation: Convert, Time: "2026-10-25T02:30", Zone: "Europe/Berlin"},
			"2026-10-25T02:30:00+02:00\nweekday: Sunday\niso week: 2026-W43-7\nday of year: 298 of 365\nunix: 1792888200\nzone: Europe/Berlin (+02:00, CEST, daylight saving time)\nnote: clocks in Europe/Berlin show 2026-10-25 02:30:00 twice; the other time is 2026-10-25T02:30:00+01:00\n",
		},
		{
			"diff",
			Args{Operation: Diff, Time: "2024-02-29T12:00:00Z", Until: "2026-11-27T22:44:43.5+01:00"},
			"P1002DT9H44M43.5S\nexact: 1002 days 9 hours 44 minutes 43.5 seconds\nseconds: 86607883.5\ncalendar: 2 years 8 months 29 days 9 hours 44 minutes 43.5 seconds (in UTC)\n",
		},
		{
			"diff backwards",
			Args{Operation: Diff, Time: "2026-02-03", Until: "2026-02-01", Zone: "-05:30"},
			"-P2D\nexact: 2 days\nseconds: -172800\ncalendar: 2 days (in -05:30)\nuntil is before time\n",
		},
		{
			"no difference",
			Args{Operation: Diff, Until: "now"},
			"PT0S\nexact: 0 seconds\nseconds: 0\ncalendar: 0 seconds (in UTC)\nuntil and time are equal\n",
		},
		{
			"diff over a change of clocks",
			Args{Operation: Diff, Time: "2026-03-28T12:00", Until: "2026-03-29T12:00", Zone: "Europe/Berlin"},
			"PT23H\nexact: 23 hours\nseconds: 82800\ncalendar: 1 day (in Europe/Berlin)\n",
		},
		{
			"diff over all years",
			Args{Operation: Diff, Time: "0001-01-01", Until: "9999-12-31T23:59:59.999999999Z"},
			"P3652058DT23H59M59.999999999S\nexact: 3652058 days 23 hours 59 minutes 59.999999999 seconds\nseconds: 315537897599.999999999\ncalendar: 9998 years 11 months 30 days 23 hours 59 minutes 59.999999999 seconds (in UTC)\n",
		},
		{
			"diff within an hour that clocks show twice",
			Args{Operation: Diff, Time: "2026-10-25T02:30:00+02:00", Until: "2026-10-25T02:45:00+02:00", Zone: "Europe/Berlin"},
			"PT15M\nexact: 15 minutes\nseconds: 900\ncalendar: 15 minutes (in Europe/Berlin)\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out tooltest.Output
			if err := Run(clock, test.args, &out); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want {
				t.Errorf("got:\n%s\nwant:\n%s", out.String(), test.want)
			}
		})
	}
}

func TestRun_add(t *testing.T) {
	tests := []struct {
		name   string
		time   string
		zone   string
		amount toolabi.Int
		unit   Unit
		want   string
		note   string
	}{
		{name: "seconds", time: "2026-12-31T23:59:59Z", amount: 1, unit: Seconds, want: "2027-01-01T00:00:00Z"},
		{name: "minutes back", time: "2026-01-01T00:00:00Z", amount: -90, unit: Minutes, want: "2025-12-31T22:30:00Z"},
		{name: "weeks", time: "2026-01-01", amount: 2, unit: Weeks, want: "2026-01-15T00:00:00Z"},
		{name: "months", time: "2026-01-31", amount: 1, unit: Months, want: "2026-02-28T00:00:00Z", note: "note: the month has no day 31; the result is its last day"},
		{name: "months back over a year", time: "2026-03-31", amount: -13, unit: Months, want: "2025-02-28T00:00:00Z", note: "no day 31"},
		{name: "leap day", time: "2024-02-29", amount: 1, unit: Years, want: "2025-02-28T00:00:00Z", note: "no day 29"},
		{name: "leap day to leap day", time: "2024-02-29", amount: 4, unit: Years, want: "2028-02-29T00:00:00Z"},
		{name: "24 hours over a change of clocks", time: "2026-03-28T12:00", zone: "Europe/Berlin", amount: 24, unit: Hours, want: "2026-03-29T13:00:00+02:00"},
		{name: "a day over a change of clocks", time: "2026-03-28T12:00", zone: "Europe/Berlin", amount: 1, unit: Days, want: "2026-03-29T12:00:00+02:00"},
		{name: "a day to a time that clocks skip", time: "2026-03-28T02:30", zone: "Europe/Berlin", amount: 1, unit: Days, want: "2026-03-29T03:30:00+02:00", note: "clocks in Europe/Berlin skip 2026-03-29 02:30:00"},
		{name: "a day to a midnight that clocks skip", time: "2024-10-05", zone: "America/Asuncion", amount: 1, unit: Days, want: "2024-10-06T01:00:00-03:00", note: "clocks in America/Asuncion skip 2024-10-06 00:00:00"},
		{name: "a day back to a midnight that clocks skip", time: "2024-10-07", zone: "America/Asuncion", amount: -1, unit: Days, want: "2024-10-06T01:00:00-03:00", note: "clocks in America/Asuncion skip 2024-10-06 00:00:00"},
		{name: "a month to a time that clocks skip", time: "2026-02-08T02:30", zone: "America/New_York", amount: 1, unit: Months, want: "2026-03-08T03:30:00-04:00", note: "skip"},
		{name: "a day to a day that Samoa left out", time: "2011-12-29", zone: "Pacific/Apia", amount: 1, unit: Days, want: "2011-12-31T00:00:00+14:00", note: "skip"},
		{name: "no day in an hour that clocks show twice", time: "2026-10-25T02:30:00+02:00", zone: "Europe/Berlin", unit: Days, want: "2026-10-25T02:30:00+02:00"},
		{name: "a million days", time: "0001-01-01", amount: 1_000_000, unit: Days, want: "2738-11-29T00:00:00Z"},
		{name: "more seconds than a duration holds", time: "2000-01-01", amount: 100_000_000_000, unit: Seconds, want: "5168-11-15T09:46:40Z"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out tooltest.Output
			args := Args{Operation: Add, Time: test.time, Zone: test.zone, Amount: test.amount, Unit: test.unit}
			if err := Run(clock, args, &out); err != nil {
				t.Fatal(err)
			}
			got, rest, _ := strings.Cut(out.String(), "\n")
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if !strings.Contains(rest, test.note) || test.note == "" && strings.Contains(rest, "note:") {
				t.Errorf("got the notes %q, want %q", rest, test.note)
			}
		})
	}
}

func TestRun_errors(t *testing.T) {
	tests := []struct {
		name string
		args Args
		want string
	}{
		{"operation", Args{Operation: "later"}, `the argument "operation" is "later"; it must be now, convert, add or diff`},
		{"time for now", Args{Time: "2026-01-01"}, "the argument \"time\" has no effect on the operation \"now\"; use the operation \"convert\""},
		{"no time", Args{Operation: Convert, Time: "tomorrow"}, `time: "tomorrow" is not a time; write 2026-01-31,`},
		{"no such day", Args{Operation: Convert, Time: "2026-02-30"}, `time: "2026-02-30" is a day or a time that does not exist`},
		{"no such hour", Args{Operation: Convert, Time: "2026-02-03T25:00:00Z"}, "is a day or a time that does not exist"},
		{"Unix", Args{Operation: Convert, Time: "@1e9"}, `time: "@1e9" is invalid; after @, give a whole number of seconds since 1970`},
		{"far Unix", Args{Operation: Convert, Time: "@9223372036854775807"}, "time is not within the years 0001 to 9999"},
		{"NUL", Args{Operation: Convert, Time: "2026\x00"}, `time: "2026\x00" is not a time`},
		{"out of the years by a zone", Args{Operation: Convert, Time: "9999-12-31T23:59:59Z", Zone: "+01:00"}, "time is not within the years"},
		{"zone", Args{Zone: "PST"}, `zone: "PST" is unknown; use an IANA name such as Europe/Berlin, UTC or an offset such as +02:00`},
		{"local zone", Args{Zone: "Local"}, `zone: "Local" is unknown`},
		{"zone from elsewhere", Args{Zone: "../../etc/passwd"}, "is unknown"},
		{"no unit", Args{Operation: Add, Amount: 1}, "the argument \"unit\" is missing; add needs amount and unit, which is seconds, minutes, hours, days, weeks, months or years"},
		{"bad unit", Args{Operation: Add, Amount: 1, Unit: "eons"}, `the argument "unit" is "eons"; it must be seconds, minutes, hours, days, weeks, months or years`},
		{"no such offset", Args{Operation: Convert, Time: "2026-02-03T05:00:00+99:00"}, `time: "2026-02-03T05:00:00+99:00" has an offset that does not exist; write its hours and minutes, as in +05:30`},
		{"no such day beside an offset", Args{Operation: Convert, Time: "2026-02-30T05:00:00+01:00"}, "is a day or a time that does not exist"},
		{"too far", Args{Operation: Add, Amount: 8000, Unit: Years}, "amount: adding 8000 years gives a time that is not within the years 0001 to 9999"},
		{"too far by far", Args{Operation: Add, Amount: 1<<63 - 1, Unit: Weeks}, "gives a time that is not within the years"},
		{"too far back", Args{Operation: Add, Amount: -1 << 63, Unit: Seconds}, "gives a time that is not within the years"},
		{"no until", Args{Operation: Diff, Time: "2026-01-01"}, "the argument \"until\" is missing; diff needs time and until"},
		{"bad until", Args{Operation: Diff, Until: "x"}, `until: "x" is not a time`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out tooltest.Output
			err := Run(clock, test.args, &out)
			if err == nil || !strings.Contains(err.Error(), test.want) || out.Len() > 0 {
				t.Errorf("got %q, %v; want the error %s", out.String(), err, test.want)
			}
		})
	}
}

// Programs get the same facts as a model, as values.
func TestRun_details(t *testing.T) {
	for _, test := range []struct {
		args Args
		want string
	}{
		{Args{Zone: "Asia/Tokyo"}, `{"time":"2026-11-28T07:44:43.5+09:00","weekday":"Saturday","isoWeek":"2026-W48-6","dayOfYear":332,"unix":1795819483,"zone":"Asia/Tokyo"}`},
		{
			Args{Operation: Add, Time: "2026-01-31", Amount: 1, Unit: "months"},
			`{"time":"2026-02-28T00:00:00Z","weekday":"Saturday","isoWeek":"2026-W09-6","dayOfYear":59,"unix":1772236800,"zone":"UTC"}`,
		},
		{Args{Operation: Diff, Time: "2026-01-31", Until: "2026-03-01"}, `{"duration":"P29D","seconds":2505600}`},
		{Args{Operation: Diff, Time: "1970-01-01T00:00:02.5Z", Until: "@1"}, `{"duration":"-PT1.5S","seconds":-1.5}`},
	} {
		var out tooltest.Output
		if err := Run(clock, test.args, &out); err != nil {
			t.Fatal(err)
		}
		tooltest.SameJSON(t, out.Result().Structured, test.want)
	}
}

func FuzzRun(f *testing.F) {
	f.Add("convert", "2026-01-31", "", "Europe/Berlin", int64(0), "")
	f.Add("add", "2026-10-25T02:30", "", "Europe/Berlin", int64(-1), "months")
	f.Add("diff", "@0", "9999-12-31T23:59:59-23:59", "Pacific/Apia", int64(0), "")
	f.Add("diff", "2026-10-25T02:30:00+02:00", "2026-10-26T02:10:00+01:00", "Europe/Berlin", int64(0), "")
	f.Add("add", "0001-01-01", "", "+14:00", int64(1<<62), "weeks")
	f.Fuzz(func(t *testing.T, operation, from, until, zone string, amount int64, unit string) {
		var out tooltest.Output
		args := Args{Operation(operation), from, until, zone, toolabi.Int(amount), Unit(unit)}
		if err := Run(clock, args, &out); err != nil {
			return
		}
		if operation != "diff" {
			first, _, _ := strings.Cut(out.String(), "\n")
			if _, err := time.Parse(time.RFC3339, first); err != nil {
				t.Errorf("the first line is %q: %v", first, err)
			}
		} else if _, calendar, _ := strings.Cut(out.String(), "calendar: "); strings.HasPrefix(calendar, "-") || strings.Contains(calendar, " -") && !strings.Contains(calendar, "(in -") {
			t.Errorf("parts of both signs: %q", calendar)
		}
	})
}
