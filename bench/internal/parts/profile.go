package parts

import (
	"fmt"
	"io"

	"github.com/google/pprof/profile"
)

// Times are nanoseconds of processor time by part.
type Times map[Part]int64

// Sum returns the time of all parts.
func (t Times) Sum() int64 {
	var sum int64
	for _, v := range t {
		sum += v
	}
	return sum
}

// Add adds the samples of a processor profile as runtime/pprof writes it.
func (t Times) Add(r io.Reader) error {
	p, err := profile.Parse(r)
	if err != nil {
		return err
	}
	at := -1
	for i, s := range p.SampleType {
		if s.Type == "cpu" && s.Unit == "nanoseconds" {
			at = i
		}
	}
	if at < 0 {
		return fmt.Errorf("the profile has no processor time")
	}
	for _, s := range p.Sample {
		t[Of(stackOf(s))] += s.Value[at]
	}
	return nil
}

// stackOf returns the names of the functions of a sample, the innermost first, with inlined ones.
func stackOf(s *profile.Sample) []string {
	var stack []string
	for _, location := range s.Location {
		for _, line := range location.Line {
			if line.Function != nil {
				stack = append(stack, line.Function.Name)
			}
		}
	}
	return stack
}
