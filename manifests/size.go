package manifests

import (
	"fmt"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// parseMemory reads a ceiling of memory, which is granted in whole pages.
func parseMemory(text string) (uint64, error) {
	n, err := stricttoml.ParseSize(text, MinMemory, MaxMemory)
	if err != nil {
		return 0, err
	}
	if over := n % MinMemory; over != 0 {
		return 0, fmt.Errorf("%s is not a whole number of 64KiB pages; write %q", stricttoml.Quote(text), stricttoml.FormatSize(n-over+MinMemory))
	}
	return n, nil
}

func parseOutputLimit(text string) (uint64, error) {
	return stricttoml.ParseSize(text, MinOutput, MaxOutput)
}
