package commands

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

var touch = spec{
	name: "touch", synopsis: "[-acm] [-d DATE | -t STAMP] [-r FILE] FILE...",
	options: "a c,no-create m d,date: r,reference: t: f time:",
	note:    "A file has only the time of its last change, so -a alone changes no time.",
	run:     runTouch,
}

func runTouch(p *process, o options, names []string) int {
	change, err := touchesChange(o)
	if err != nil {
		return p.fail("%v", err)
	}
	at, err := p.touchTime(o)
	if err != nil {
		return p.fail("%v", err)
	}
	if len(names) == 0 {
		return p.fail("missing file operand")
	}
	for _, name := range names {
		if name == "-" {
			p.errorf("- for the file of standard output is not supported; use ./- for a file of this name")
			continue
		}
		if err := touchFile(p.path(name), o.has("c"), change, at); err != nil {
			p.errorf("cannot touch '%s': %s", name, message(err))
		}
	}
	return p.status
}

// touchesChange reports whether the options set the time of the last change, and not only the time
// of the last access.
func touchesChange(o options) (bool, error) {
	access, change := o.has("a"), o.has("m")
	for _, which := range o.values("time") {
		switch which {
		case "atime", "access", "use":
			access = true
		case "mtime", "modify":
			change = true
		default:
			return false, fmt.Errorf("invalid argument '%s' for '--time'; use atime or mtime", which)
		}
	}
	return change || !access, nil
}

// touchTime returns the time that the options give. A date of -d may be relative to the time of -r.
func (p *process) touchTime(o options) (time.Time, error) {
	at := p.in(time.Now())
	if o.has("t") && (o.has("d") || o.has("r")) {
		return at, errors.New("cannot specify times from more than one source")
	}
	if o.has("r") {
		name := o.value("r", "")
		info, err := os.Stat(p.path(name))
		if err != nil {
			return at, fmt.Errorf("failed to get attributes of '%s': %s", name, message(err))
		}
		at = p.in(info.ModTime())
	}
	var err error
	if date := o.value("d", ""); o.has("d") {
		if at, err = parseDate(date, at); err != nil {
			return at, fmt.Errorf("invalid date format '%s'", date)
		}
	}
	if stamp := o.value("t", ""); o.has("t") {
		if at, err = parseStamp(stamp, at); err != nil {
			return at, fmt.Errorf("invalid date format '%s'", stamp)
		}
	}
	return at, nil
}

// touchFile sets the time of the last change if change is set. It creates the file unless existing
// is set.
func touchFile(name string, existing, change bool, at time.Time) error {
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		if existing {
			return nil
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	if !change {
		return nil
	}
	return os.Chtimes(name, at, at)
}

// parseStamp parses a time in the form [[CC]YY]MMDDhhmm[.ss].
func parseStamp(text string, now time.Time) (time.Time, error) {
	if len(strings.Split(text, ".")[0]) == 8 {
		text = now.Format("2006") + text
	}
	layout := map[int]string{10: "0601021504", 12: "200601021504"}[len(strings.Split(text, ".")[0])]
	if strings.Contains(text, ".") {
		layout += ".05"
	}
	at, err := time.ParseInLocation(layout, text, now.Location())
	if err == nil && at.Format(layout) != text {
		err = errors.New("clocks skip this time")
	}
	return at, err
}
