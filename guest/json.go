package guest

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// maxDepth limits the depth that appendJSON descends to, because a value may contain itself.
const maxDepth = 32

// appendJSON appends the same JSON as marshal, without the line feed. It handles the common types
// of results itself, because in a guest the lookups that package json does for each type take a
// tenth of a short call.
func appendJSON(b []byte, v any, depth int) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case string:
		return appendText(b, v), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case int:
		return strconv.AppendInt(b, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	case map[string]any:
		if v != nil && depth < maxDepth {
			return appendMap(b, v, depth+1)
		}
	case []any:
		if v != nil && depth < maxDepth {
			return appendList(b, v, depth+1)
		}
	}
	encoded, err := marshal(v)
	return append(b, bytes.TrimSuffix(encoded, []byte("\n"))...), err
}

func appendMap(b []byte, m map[string]any, depth int) ([]byte, error) {
	b = append(b, '{')
	for i, name := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, name), ':')
		var err error
		if b, err = appendJSON(b, m[name], depth); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

func appendList(b []byte, list []any, depth int) ([]byte, error) {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = appendJSON(b, v, depth); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

// appendText appends a JSON string. Bytes that are not UTF-8 become U+FFFD.
func appendText(b []byte, text string) []byte {
	b = append(b, '"')
	written := 0
	for i := plainLen(text); i < len(text); i += plainLen(text[i:]) {
		size := 1
		escape := ""
		if c := text[i]; c < utf8.RuneSelf {
			escape = escapeOf(c)
		} else {
			var r rune
			switch r, size = utf8.DecodeRuneInString(text[i:]); {
			case r == utf8.RuneError && size == 1:
				escape = `\ufffd`
			case r == '\u2028': // a line terminator in JavaScript
				escape = `\u2028`
			case r == '\u2029':
				escape = `\u2029`
			}
		}
		if escape != "" {
			b = append(append(b, text[written:i]...), escape...)
			written = i + size
		}
		i += size
	}
	return append(append(b, text[written:]...), '"')
}

// plainLen returns the length of the longest prefix of ASCII that needs no escape in a JSON string.
// In a guest, checking eight bytes at a time takes a fifth of the time of checking single bytes.
func plainLen(text string) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	at := 0
	for ; at+8 <= len(text); at += 8 {
		w := binary.LittleEndian.Uint64(unsafe.Slice(unsafe.StringData(text[at:at+8]), 8))
		quotes, backslashes := w^ones*'"', w^ones*'\\'
		// Set the highest bit of each byte that needs an escape. A borrow in a subtraction sets
		// wrong bits only in later bytes, so the lowest set bit is always correct.
		odd := ((w-ones*' ')&^w | (quotes-ones)&^quotes | (backslashes-ones)&^backslashes | w) & highs
		if odd != 0 {
			return at + bits.TrailingZeros64(odd)/8
		}
	}
	for ; at < len(text); at++ {
		if c := text[at]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return at
		}
	}
	return at
}

// escapeOf returns the escape sequence for an ASCII character that must be escaped in a JSON
// string.
func escapeOf(c byte) string {
	switch c {
	case '"':
		return `\"`
	case '\\':
		return `\\`
	case '\b':
		return `\b`
	case '\f':
		return `\f`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	const hex = "0123456789abcdef"
	return `\u00` + string(rune(hex[c>>4])) + string(rune(hex[c&15]))
}
