package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// step is one call of a tool and its expected result.
type step struct {
	Do   string `yaml:"do"`   // the purpose of the step
	Tool string `yaml:"tool"` // the tool to call
	// With holds the arguments. ${NAME} stands for a string that an earlier step stored with Take.
	With map[string]any `yaml:"with"`
	Says []string       `yaml:"says"` // strings that the result must contain, in any order
	Not  []string       `yaml:"not"`  // strings that the result must not contain
	// Exit is the expected exit status of a script in the metadata of the result.
	Exit int `yaml:"exit"`
	// Fails is the expected code of the error; empty for a call that succeeds.
	Fails string `yaml:"fails"`
	// Asked is a part of the expected question to the person; empty for a call without a question.
	// The person answers with Answer.
	Asked  string `yaml:"asked"`
	Answer answer `yaml:"answer"`
	// Take maps names to regular expressions. The string that the first group matches in the result
	// is stored under the name.
	Take map[string]string `yaml:"take"`
}

// answer is the person's answer to a question. The zero value approves.
type answer struct {
	No   bool           `yaml:"no"`
	Form map[string]any `yaml:"form"` // the fields that the person fills in
}

// readSteps reads the steps of a file, which must contain at least 40 steps.
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

// taken holds the strings that steps took for later steps, by name.
type taken map[string]string

var reference = regexp.MustCompile(`\$\{([a-z_]+)\}`)

// fill replaces the references in all strings of value.
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

// fillText replaces the references in one string.
func (v taken) fillText(text string) (string, error) {
	var err error
	filled := reference.ReplaceAllStringFunc(text, func(ref string) string {
		got, found := v[ref[2:len(ref)-1]]
		if !found {
			err = fmt.Errorf("no earlier step took %s", ref)
		}
		return got
	})
	return filled, err
}

// take stores the strings that a step takes from its result.
func (v taken) take(s step, text string) error {
	for name, pattern := range s.Take {
		match := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if len(match) != 2 {
			return fmt.Errorf("the result has no %s: nothing matches %s", name, pattern)
		}
		v[name] = match[1]
	}
	return nil
}

// compare returns the differences between the text of a result and the text that the step expects.
func (s step) compare(text string, v taken) []string {
	var failures []string
	for _, want := range s.Says {
		want, err := v.fillText(want)
		if err != nil {
			failures = append(failures, err.Error())
		}
		if !strings.Contains(text, want) {
			failures = append(failures, fmt.Sprintf("the text does not contain %q", want))
		}
	}
	for _, never := range s.Not {
		if strings.Contains(text, never) {
			failures = append(failures, fmt.Sprintf("the text contains %q", never))
		}
	}
	return failures
}
