//go:build !wasip1

package guest

import (
	"fmt"
	"os"
)

func hostLog(_ Level, text string) { fmt.Fprintln(os.Stderr, text) }

func hostProgress(float64, float64, string) {}

func hostUpdate([]byte) int32 { return 0 }

func hostContext([]byte) int { return 0 }
