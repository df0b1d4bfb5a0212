// Package testrounds says how many inputs a test generates that compares a program with ours.
package testrounds

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The variables that Get reads.
const (
	levelsVariable = "WASMTOOL_TESTS"
	roundsVariable = "WASMTOOL_ROUNDS"
	seedVariable   = "WASMTOOL_SEED"
)

// Get returns the number of inputs to generate and the seed of the first one. The number is few by
// default, many if WASMTOOL_TESTS has "long", and WASMTOOL_ROUNDS if that is set. The seed is
// WASMTOOL_SEED, and 0 by default. A variable that is not a number below 2^31 ends the test.
func Get(t testing.TB, few, many int) (rounds, seed int) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv(levelsVariable), ","), "long") {
		few = many
	}
	return number(t, roundsVariable, few), number(t, seedVariable, 0)
}

// number returns the number in an environment variable, or a default.
func number(t testing.TB, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		t.Fatalf("%s=%q is not a number below 2^31", name, text)
	}
	return int(n)
}
