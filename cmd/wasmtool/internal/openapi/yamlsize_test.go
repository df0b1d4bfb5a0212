package openapi

import (
	"runtime"
	"strings"
	"testing"
)

// A document that consists only of marks such as "- " is refused before the library allocates
// memory for each value.
func TestHugeYAMLIsRefusedBeforeParsing(t *testing.T) {
	for _, part := range []string{"- ", "[],", "a: ", "? ", "{}, "} {
		text := []byte(strings.Repeat(part, MaxDocumentBytes/len(part)))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, problem := read(text)
		runtime.ReadMemStats(&after)
		if problem == nil || !strings.Contains(problem.Message, "write the document as JSON") {
			t.Errorf("%q: it is not refused", part)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > MaxDocumentBytes {
			t.Errorf("%q: %d bytes were allocated", part, used)
		}
	}
}
