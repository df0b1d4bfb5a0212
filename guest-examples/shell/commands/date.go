package commands

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

var date = spec{
	name: "date", synopsis: "[-u] [-d DATE | -f FILE | -r FILE] [-I[SPEC] | -R | +FORMAT]",
	options: "u,utc,universal d,date: r,reference: I,iso-8601:: R,rfc-email,rfc-2822 rfc-3339: s,set: f,file:",
	note:    "The zone is UTC, or TZ: TZ=Europe/Berlin date.",
	run:     runDate,
}

func runDate(p *process, o options, words []string) int {
	format, err := dateFormat(o, words)
	if err != nil {
		return p.fail("%v", err)
	}
	zone, err := loadZone(p.env.Getenv("TZ"))
	if err != nil {
		return p.fail("%v", err)
	}
	if o.has("u") {
		zone = time.UTC
	}
	now := time.Now().In(zone)
	sources := 0
	for _, name := range []string{"d", "f", "r"} {
		if o.has(name) {
			sources++
		}
	}
	switch {
	case sources > 1:
		return p.fail("the options to specify dates for printing are mutually exclusive")
	case o.has("f"):
		return p.printDates(o.value("f", ""), format, now)
	case o.has("r"):
		info, err := os.Stat(p.path(o.value("r", "")))
		if err != nil {
			return p.fail("%s: %s", o.value("r", ""), message(err))
		}
		now = info.ModTime().In(zone)
	case o.has("d"):
		p.printDate(o.value("d", ""), format, now)
		return p.status
	}
	p.print(strftime(format, now) + "\n")
	return p.status
}

func (p *process) printDate(text, format string, now time.Time) {
	at, err := parseDate(text, now)
	if err != nil {
		p.errorf("invalid date '%s'", text)
		return
	}
	p.print(strftime(format, at) + "\n")
}

// printDates prints the date of each line of a file.
func (p *process) printDates(name, format string, now time.Time) int {
	return p.eachInput([]string{name}, func(_ string, r io.Reader) error {
		return p.eachLine(r, '\n', func(line []byte, _ bool) bool {
			p.printDate(string(line), format, now)
			return true
		})
	})
}

// dateFormat returns the format that the options and operands request.
func dateFormat(o options, words []string) (string, error) {
	if o.has("s") || len(words) > 0 && !strings.HasPrefix(words[0], "+") {
		return "", fmt.Errorf("cannot set date: Operation not permitted; to print the date in a format, start the format with +")
	}
	if len(words) > 1 {
		return "", fmt.Errorf("extra operand '%s'", words[1])
	}
	format := ""
	for _, opt := range o {
		next := ""
		switch opt.name {
		case "R":
			next = "%a, %d %b %Y %H:%M:%S %z"
		case "I", "rfc-3339":
			var err error
			if next, err = isoFormat(opt); err != nil {
				return "", err
			}
		default:
			continue
		}
		if format != "" {
			return "", fmt.Errorf("multiple output formats specified")
		}
		format = next
	}
	switch {
	case len(words) == 0 && format == "":
		return "%a %b %e %H:%M:%S %Z %Y", nil
	case len(words) == 0:
		return format, nil
	case format != "":
		return "", fmt.Errorf("multiple output formats specified")
	}
	// With -, the number of digits is the precision of the clock.
	return strings.NewReplacer("%%", "%%", "%-N", "%9N").Replace(words[0][1:]), nil
}

// isoFormat returns the format for the precision in the value of -I or --rfc-3339. The value may be
// abbreviated.
func isoFormat(opt option) (string, error) {
	separator, fraction, known := "T", ",", "hours minutes date seconds ns"
	name := "--iso-8601"
	if opt.name == "rfc-3339" {
		separator, fraction, known, name = " ", ".", "date seconds ns", "--rfc-3339"
	}
	if opt.value == "" && opt.name == "I" {
		return "%Y-%m-%d", nil
	}
	for precision := range strings.FieldsSeq(known) {
		if opt.value == "" || !strings.HasPrefix(precision, opt.value) {
			continue
		}
		clock := map[string]string{"hours": "%H", "minutes": "%H:%M", "seconds": "%H:%M:%S", "ns": "%H:%M:%S" + fraction + "%N"}[precision]
		if clock == "" {
			return "%Y-%m-%d", nil
		}
		return "%Y-%m-%d" + separator + clock + "%:z", nil
	}
	return "", fmt.Errorf("invalid argument '%s' for '%s'; use one of %s", opt.value, name, strings.ReplaceAll(known, " ", ", "))
}
