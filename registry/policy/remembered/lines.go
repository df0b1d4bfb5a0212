package remembered

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Limits on a file.
const (
	maxFileBytes = 8 << 20
	maxRecords   = 10_000
)

// parse parses the lines of a file.
func (k kind[T]) parse(name string, data []byte) ([]T, error) {
	corrupt := func(line int, format string, args ...any) error {
		return &CorruptError{File: name, Line: line, Why: fmt.Sprintf(format, args...), Holds: k.holds}
	}
	if len(data) > maxFileBytes {
		return nil, corrupt(0, "it is larger than %d bytes", maxFileBytes)
	}
	var list []T
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line, whole := bytes.CutSuffix(line, []byte("\n"))
		if len(bytes.TrimSpace(line)) == 0 && whole {
			continue
		}
		if !whole {
			return nil, corrupt(number, "the line does not end with a newline")
		}
		record, err := k.parseLine(line)
		if err != nil {
			return nil, corrupt(number, "%s", err)
		}
		if len(list) == maxRecords {
			return nil, corrupt(number, "there are more than %d %s", maxRecords, k.name)
		}
		list = append(list, record)
	}
	return list, nil
}

func (k kind[T]) parseLine(line []byte) (T, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	// An unknown field might restrict the record, so the line is refused.
	d.DisallowUnknownFields()
	var record T
	if err := d.Decode(&record); err != nil {
		return record, fmt.Errorf("it is not one of the %s as JSON", k.name)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return record, errors.New("the record is followed by something else")
	}
	return record, k.check(record)
}

// format formats records as lines.
func (k kind[T]) format(list []T) ([]byte, error) {
	full := fmt.Errorf("there is no room for more than %d %s or %d bytes; revoke some", maxRecords, k.name, maxFileBytes)
	if len(list) > maxRecords {
		return nil, full
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, record := range list {
		if err := k.check(record); err != nil {
			return nil, err
		}
		if err := e.Encode(record); err != nil {
			return nil, err
		}
	}
	if b.Len() > maxFileBytes {
		return nil, full
	}
	return b.Bytes(), nil
}
