// Package driver has what the Go programs of the corpus share. Each program exports run, which does
// the same work each time and prints a line that depends on its result.
package driver

import (
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
)

// Load returns the content of a file of the corpus.
func Load(name string) []byte {
	content, err := os.ReadFile("/data/" + name)
	Check(err)
	return content
}

// Result prints the result of a run. It also collects the garbage, so that each run begins with the
// same heap and collects at the same places.
func Result(content []byte) {
	fmt.Printf("%x %d\n", sha256.Sum256(content), len(content))
	runtime.GC()
}

// Check ends the program if err is not nil.
func Check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
