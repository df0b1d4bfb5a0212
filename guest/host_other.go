//go:build !wasip1

package guest

import (
	"fmt"
	"os"
)

func hostLog(_ Level, text string) { fmt.Fprintln(os.Stderr, text) }

func hostProgress(float64, float64, string) {}

func hostContext([]byte) int { return 0 }
