package approvals

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Bounds on the file.
const (
	maxFileBytes = 8 << 20
	maxApprovals = 10_000
)

// parse reads the lines of the file. One that is not an approval spoils all, since
// what it was cannot be known.
func parse(data []byte) ([]Approval, error) {
	if len(data) > maxFileBytes {
		return nil, &CorruptError{Why: fmt.Sprintf("it is larger than %d bytes", maxFileBytes)}
	}
	var list []Approval
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line, whole := bytes.CutSuffix(line, []byte("\n"))
		if len(bytes.TrimSpace(line)) == 0 && whole {
			continue
		}
		if !whole {
			return nil, &CorruptError{Line: number, Why: "the line has no end"}
		}
		a, err := parseLine(line)
		if err != nil {
			return nil, &CorruptError{Line: number, Why: err.Error()}
		}
		if len(list) == maxApprovals {
			return nil, &CorruptError{Line: number, Why: fmt.Sprintf("there are more than %d approvals", maxApprovals)}
		}
		list = append(list, a)
	}
	return list, nil
}

func parseLine(line []byte) (Approval, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	// A field that is not known may be one that narrows the approval.
	d.DisallowUnknownFields()
	var a Approval
	if err := d.Decode(&a); err != nil {
		return a, errors.New("it is not an approval as JSON")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return a, errors.New("there is something after the approval")
	}
	if err := a.validate(); err != nil {
		return a, err
	}
	if a.Created.IsZero() || a.ID != a.identify() {
		return a, errors.New("its ID or time is not the one that was written")
	}
	return a, nil
}

// format writes approvals as lines.
func format(list []Approval) ([]byte, error) {
	if len(list) > maxApprovals {
		return nil, errFull
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, a := range list {
		if err := e.Encode(a); err != nil {
			return nil, err
		}
	}
	if b.Len() > maxFileBytes {
		return nil, errFull
	}
	return b.Bytes(), nil
}

var errFull = fmt.Errorf("there is no room for more than %d approvals or %d bytes; revoke some", maxApprovals, maxFileBytes)
