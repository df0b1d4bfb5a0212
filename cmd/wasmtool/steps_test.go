package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// step is one call of a tool, and what has to come of it.
type step struct {
	Do   string         `yaml:"do"`   // what it is for
	Tool string         `yaml:"tool"` // the tool that is called
	With map[string]any `yaml:"with"` // its arguments; ${NAME} stands for what an earlier step took
	Says []string       `yaml:"says"` // what the answer's text has, in any order
	Not  []string       `yaml:"not"`  // what the text has not
	// Exit is the exit status of a script, as programs get it; 0 where none is given.
	Exit int `yaml:"exit"`
	// Fails is the code of the error that it is; empty for a call that succeeds.
	Fails string `yaml:"fails"`
	// Asked is what the question to the person has; empty for a call that nobody is asked
	// about. The person says yes, or Answer.
	Asked  string `yaml:"asked"`
	Answer answer `yaml:"answer"`
	// Take has names for what the first group of an expression matches in the text.
	Take map[string]string `yaml:"take"`
}

// answer is what the person says; the zero value is a yes.
type answer struct {
	No   bool           `yaml:"no"`
	Form map[string]any `yaml:"form"` // what is filled in
}

// readSteps reads the steps of a file, which has to have as many as an issue asks for.
func readSteps(t *testing.T, file string) []step {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var steps []step
	if err := yaml.Load(data, &steps, yaml.WithKnownFields()); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if len(steps) < 40 {
		t.Fatalf("%s has %d steps", file, len(steps))
	}
	return steps
}

// taken is what steps took for those after them.
type taken map[string]string

var reference = regexp.MustCompile(`\$\{([a-z_]+)\}`)

// fill puts in what was taken, wherever a text refers to it.
func (v taken) fill(value any) (any, error) {
	switch value := value.(type) {
	case string:
		return v.fillText(value)
	case map[string]any:
		filled := make(map[string]any, len(value))
		for key, element := range value {
			var err error
			if filled[key], err = v.fill(element); err != nil {
				return nil, err
			}
		}
		return filled, nil
	default:
		return value, nil
	}
}

// fillText does that in one text.
func (v taken) fillText(text string) (string, error) {
	var err error
	filled := reference.ReplaceAllStringFunc(text, func(ref string) string {
		got, found := v[ref[2:len(ref)-1]]
		if !found {
			err = fmt.Errorf("no step before took %s", ref)
		}
		return got
	})
	return filled, err
}

// take keeps what a step takes of a text.
func (v taken) take(s step, text string) error {
	for name, pattern := range s.Take {
		match := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if len(match) != 2 {
			return fmt.Errorf("%s is not in it, by %s", name, pattern)
		}
		v[name] = match[1]
	}
	return nil
}

// compare finds what a step's answer is not as it should be in.
func (s step) compare(text string, v taken) []string {
	var faults []string
	for _, want := range s.Says {
		want, err := v.fillText(want)
		if err != nil {
			faults = append(faults, err.Error())
		}
		if !strings.Contains(text, want) {
			faults = append(faults, fmt.Sprintf("the text has not %q", want))
		}
	}
	for _, never := range s.Not {
		if strings.Contains(text, never) {
			faults = append(faults, fmt.Sprintf("the text has %q", never))
		}
	}
	return faults
}
