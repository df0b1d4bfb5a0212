// Package datetime implements the built-in tool datetime, which returns the current time, converts
// times between time zones, and calculates with dates.
package datetime

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// Operation is the operation of a call.
type Operation string

// The operations.
const (
	Now     Operation = "now"     // the current time in Zone
	Convert Operation = "convert" // Time in Zone
	Add     Operation = "add"     // Time plus Amount of Unit
	Diff    Operation = "diff"    // the duration from Time to Until
)

// Args are the arguments of datetime.
type Args struct {
	// Operation is the operation; "" means Now.
	Operation Operation `json:"operation"`
	// Time and Until are times in a form that parser.parse accepts; "" means now.
	Time  string `json:"time"`
	Until string `json:"until"`
	// Zone is an IANA name or an offset. "" means the zone of Time. If Time has none, it means UTC.
	Zone string `json:"zone"`
	// Amount is the number of units that Add adds; it may be negative.
	Amount toolabi.Int `json:"amount"`
	Unit   Unit        `json:"unit"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) {
	return "Date and time: " + string(cmp.Or(a.Operation, Now)), nil
}

// Run writes the result to the writer out. The function now returns the current time. The message
// of an error is written for a model.
func Run(now func() time.Time, args Args, out io.Writer) error {
	zone, err := parseZone(args.Zone)
	if err != nil {
		return fmt.Errorf("zone: %w", err)
	}
	p := parser{now: now, zone: zone}
	var found answer
	switch args.Operation {
	case Now, "":
		if args.Time != "" && args.Time != "now" {
			return errors.New(`the argument "time" has no effect on the operation "now"; use the operation "convert"`)
		}
		found, err = convert(p, "now")
	case Convert:
		found, err = convert(p, args.Time)
	case Add:
		found, err = add(p, args)
	case Diff:
		found, err = diff(p, args)
	default:
		return fmt.Errorf(`the argument "operation" is %q; it must be now, convert, add or diff`, args.Operation)
	}
	if err != nil {
		return err
	}
	return toolabi.WriteResult(out, toolabi.DetailedResult("", found.text, nil, found.details))
}

// answer is the result for a model, and the same for programs.
type answer struct {
	text    string
	details map[string]any
}

func convert(p parser, text string) (answer, error) {
	t, note, err := p.parse("time", text)
	if err != nil {
		return answer{}, err
	}
	return answer{describe(t) + note, details(t)}, nil
}

func add(p parser, args Args) (answer, error) {
	if args.Unit == "" {
		return answer{}, fmt.Errorf(`the argument "unit" is missing; add needs amount and unit, which is %s`, unitNames)
	}
	t, note, err := p.parse("time", args.Time)
	if err != nil {
		return answer{}, err
	}
	moved, moveNote, err := args.Unit.add(t, int64(args.Amount))
	if err != nil {
		return answer{}, err
	}
	return answer{describe(moved) + note + moveNote, details(moved)}, nil
}

func diff(p parser, args Args) (answer, error) {
	if args.Until == "" {
		return answer{}, errors.New(`the argument "until" is missing; diff needs time and until`)
	}
	from, fromNote, err := p.parse("time", args.Time)
	if err != nil {
		return answer{}, err
	}
	until, untilNote, err := p.parse("until", args.Until)
	if err != nil {
		return answer{}, err
	}
	text, details := describeSpan(from, until)
	return answer{text + fromNote + untilNote, details}, nil
}
