package commands

import (
	"os"
	"strings"
	"time"
)

var date = spec{
	name: "date", synopsis: "[-u] [-d DATE | -r FILE] [-I[SPEC] | -R | +FORMAT]",
	options: "u,utc,universal d,date: r,reference: I,iso-8601:: R,rfc-email,rfc-2822 rfc-3339: s,set: f,file:",
	run:     runDate,
}

func runDate(p *process, o options, words []string) int {
	if o.has("s") || len(words) > 0 && !strings.HasPrefix(words[0], "+") {
		return p.fail("cannot set date: Operation not permitted; a format begins with +")
	}
	if len(words) > 1 {
		return p.fail("extra operand '%s'", words[1])
	}
	now := p.in(time.Now())
	if o.has("u") {
		now = now.UTC()
	}
	at := now
	switch {
	case o.has("r"):
		info, err := os.Stat(p.path(o.value("r", "")))
		if err != nil {
			return p.fail("%s: %s", o.value("r", ""), message(err))
		}
		at = info.ModTime().In(now.Location())
	case o.has("d"):
		var err error
		if at, err = parseDate(o.value("d", ""), now); err != nil {
			return p.fail("invalid date '%s'", o.value("d", ""))
		}
	}
	format := "%a %b %e %H:%M:%S %Z %Y"
	switch {
	case len(words) > 0:
		format = words[0][1:]
	case o.has("R"):
		format = "%a, %d %b %Y %H:%M:%S %z"
	case o.has("I"), o.has("rfc-3339"):
		spec := o.value("I", o.value("rfc-3339", ""))
		separator := "T"
		if o.has("rfc-3339") {
			separator = " "
		}
		known := map[string]string{
			"": "%F", "date": "%F", "hours": "%F" + separator + "%H%:z", "minutes": "%F" + separator + "%H:%M%:z",
			"seconds": "%F" + separator + "%H:%M:%S%:z", "ns": "%F" + separator + "%H:%M:%S,%N%:z",
		}
		var ok bool
		if format, ok = known[spec]; !ok {
			return p.fail("invalid argument '%s' for '--iso-8601'; it is date, hours, minutes, seconds or ns", spec)
		}
	}
	p.print(strftime(format, at) + "\n")
	return 0
}

// in returns the time in the zone of the variable TZ, or UTC.
func (p *process) in(t time.Time) time.Time {
	if zone := strings.TrimPrefix(p.env.Getenv("TZ"), ":"); zone != "" {
		if location, err := time.LoadLocation(zone); err == nil {
			return t.In(location)
		}
	}
	return t.UTC()
}
