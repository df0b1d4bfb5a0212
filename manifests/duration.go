package manifests

import (
	"time"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// parseTimeout reads a time such as "10s" or "1m30s".
func parseTimeout(text string) (time.Duration, error) {
	return stricttoml.ParseDuration(text, MinTimeout, MaxTimeout)
}
