// Package job defines the task of every system under test, and checks the answer.
package job

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/bench/guests/go/count"
)

// Input returns the small input: 67 bytes of JSON. Its answer has 57 bytes.
func Input() []byte {
	return []byte(`{"text":"The quick brown fox jumps over the lazy dogs, then naps."}`)
}

// Large returns an input of about 110 KB.
func Large() []byte {
	line := `He said \"the quick brown fox\" jumps over 13 lazy dogs.\n`
	return []byte(`{"text":"` + strings.Repeat(line, 110_000/len(line)) + `"}`)
}

// Check returns an error unless output is the answer to input. White space around it is ignored.
func Check(input, output []byte) error {
	var in count.Input
	if err := json.Unmarshal(input, &in); err != nil {
		return err
	}
	answer, err := count.Count(in)
	if err != nil {
		return err
	}
	want, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	if got := bytes.TrimSpace(output); !bytes.Equal(got, want) {
		return fmt.Errorf("the answer is %q, not %q", got, want)
	}
	return nil
}
