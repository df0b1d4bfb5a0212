package commands

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"
)

var touch = spec{
	name: "touch", synopsis: "[-acm] [-d DATE | -t STAMP | -r FILE] FILE...",
	options: "a c,no-create m d,date: r,reference: t: f h,no-dereference time:",
	note:    "A file has only the time of its last change.",
	run:     runTouch,
}

func runTouch(p *process, o options, names []string) int {
	if len(names) == 0 {
		return p.fail("missing file operand")
	}
	at := time.Now()
	var err error
	switch {
	case o.has("r"):
		info, err := os.Stat(p.path(o.value("r", "")))
		if err != nil {
			return p.fail("failed to get attributes of '%s': %s", o.value("r", ""), message(err))
		}
		at = info.ModTime()
	case o.has("d"):
		if at, err = parseDate(o.value("d", ""), p.in(at)); err != nil {
			return p.fail("invalid date format '%s'", o.value("d", ""))
		}
	case o.has("t"):
		if at, err = parseStamp(o.value("t", ""), p.in(at)); err != nil {
			return p.fail("invalid date format '%s'", o.value("t", ""))
		}
	}
	for _, name := range names {
		if err := touchFile(p.path(name), o.has("c"), at); err != nil {
			p.errorf("cannot touch '%s': %s", name, message(err))
		}
	}
	return p.status
}

func touchFile(name string, existing bool, at time.Time) error {
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
	return os.Chtimes(name, at, at)
}

// parseStamp parses [[CC]YY]MMDDhhmm[.ss].
func parseStamp(text string, now time.Time) (time.Time, error) {
	layout := map[int]string{8: "01021504", 10: "0601021504", 12: "200601021504"}[len(strings.Split(text, ".")[0])]
	if strings.Contains(text, ".") {
		layout += ".05"
	}
	at, err := time.ParseInLocation(layout, text, now.Location())
	if err == nil && strings.HasPrefix(layout, "0102") {
		at = at.AddDate(now.Year()-at.Year(), 0, 0)
	}
	return at, err
}
