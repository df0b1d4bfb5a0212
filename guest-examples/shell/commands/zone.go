package commands

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // the sandbox has no files of time zones
)

// in returns the time in the zone of the variable TZ, or in UTC without TZ. It reports an unknown
// zone once.
func (p *process) in(t time.Time) time.Time {
	if p.location == nil {
		var err error
		if p.location, err = loadZone(p.env.Getenv("TZ")); err != nil {
			p.errorf("%v", err)
			p.location = time.UTC
		}
	}
	return t.In(p.location)
}

// loadZone returns the zone that a value of TZ names: a name such as Europe/Berlin, or rules such
// as CET-1CEST,M3.5.0,M10.5.0/3.
func loadZone(name string) (*time.Location, error) {
	rules := strings.TrimPrefix(name, ":")
	if rules == "" || strings.EqualFold(rules, "utc") || strings.EqualFold(rules, "gmt") {
		return time.UTC, nil
	}
	if rules != "Local" {
		if location, err := time.LoadLocation(rules); err == nil {
			return location, nil
		}
	}
	location, err := zoneFromRules(rules)
	if err != nil {
		return nil, fmt.Errorf("TZ: unknown time zone '%s'; use a name such as Europe/Berlin, or UTC", name)
	}
	return location, nil
}

// zoneRules matches POSIX's form of TZ: a name and an offset, optionally with the name of daylight
// saving time, its offset and the dates of the changes.
func zoneRules(text string) bool {
	const name, offset = `([A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)`, `[+-]?\d{1,2}(:[0-5]?\d){0,2}`
	const date = `,(M\d{1,2}\.[1-5]\.[0-6]|J?\d{1,3})(/[+-]?\d{1,3}(:[0-5]?\d){0,2})?`
	return len(text) < 100 && regexp.MustCompile(`^`+name+offset+`(`+name+`(`+offset+`)?(`+date+date+`)?)?$`).MatchString(text)
}

// zoneFromRules returns the zone with the given rules. Package time reads rules only at the end of
// a file in the format of RFC 8536, so this function makes such a file without any data.
func zoneFromRules(rules string) (*time.Location, error) {
	if !zoneRules(rules) {
		return nil, fmt.Errorf("not the rules of a time zone: %s", rules)
	}
	header := func(zones, characters uint32) []byte {
		data := append([]byte("TZif2"), make([]byte, 15)...)
		for _, count := range []uint32{0, 0, 0, 0, zones, characters} {
			data = binary.BigEndian.AppendUint32(data, count)
		}
		return data
	}
	const unused = "-00\x00"
	data := append(header(0, 0), header(1, uint32(len(unused)))...)
	data = append(data, 0, 0, 0, 0, 0, 0) // a zone: its offset, not daylight saving, and its name
	data = append(data, unused+"\n"+rules+"\n"...)
	return time.LoadLocationFromTZData(rules, data)
}
