package bash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// TestMain refuses to test the unchanged interpreter, which the tool does not contain.
func TestMain(m *testing.M) {
	if os.Getenv(testeeVariable) != "" {
		os.Exit(testee())
	}
	if !changedInterpreter() {
		fmt.Println("the interpreter is unchanged; to test with the patches of internal/build/patches, run in guest-examples: go run ./internal/build -test ./shell/bash")
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// changedInterpreter reports whether the interpreter has the patch 02-return-keeps-the-status.
func changedInterpreter() bool {
	file, err := syntax.NewParser().Parse(strings.NewReader("f() { false; return; }; f"), "")
	if err != nil {
		return false
	}
	runner, err := interp.New()
	if err != nil {
		return false
	}
	var status interp.ExitStatus
	return errors.As(runner.Run(context.Background(), file), &status) && status == 1
}
