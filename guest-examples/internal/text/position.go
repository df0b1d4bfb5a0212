package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Position returns the line and the column, in characters, of the byte at offset; both count from
// 1.
func Position(text string, offset int) string {
	before := text[:max(0, min(offset, len(text)))]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return fmt.Sprintf("line %d, column %d", strings.Count(before, "\n")+1, utf8.RuneCountInString(line)+1)
}
