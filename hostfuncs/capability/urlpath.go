package capability

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// urlPath is a path in its two normal forms. They have the same segments.
type urlPath struct {
	// dialled is what is sent: unreserved characters plain, all else as it was.
	dialled string
	// compared is what patterns are held against: plain whatever may be plain, so that
	// no encoding of a path is a way around a denial of it.
	compared string
}

// parsePath normalises a path in escaped form. Dot segments are resolved; what
// servers read in different ways is refused.
func parsePath(escaped string) (urlPath, error) {
	if escaped == "" {
		escaped = "/"
	}
	rest, ok := strings.CutPrefix(escaped, "/")
	if !ok {
		return urlPath{}, refuse(URLPath, "the path does not begin with a slash")
	}
	var segments []urlPath
	raw := strings.Split(rest, "/")
	for i, text := range raw {
		last := i == len(raw)-1
		if text == "" && !last {
			return urlPath{}, refuse(URLPath, "the path has two slashes in a row; write one")
		}
		s, err := parseSegment(text)
		if err != nil {
			return urlPath{}, err
		}
		switch s.compared {
		case ".", "..":
			if s.compared == ".." && len(segments) > 0 {
				segments = segments[:len(segments)-1]
			}
			if last {
				segments = append(segments, urlPath{})
			}
		default:
			segments = append(segments, s)
		}
	}
	var dialled, compared strings.Builder
	for _, s := range segments {
		dialled.WriteString("/" + s.dialled)
		compared.WriteString("/" + s.compared)
	}
	return urlPath{dialled: dialled.String(), compared: compared.String()}, nil
}

func parseSegment(text string) (urlPath, error) {
	var dialled, compared, decoded strings.Builder
	for i := 0; i < len(text); i++ {
		b, escaped := text[i], false
		if b == '%' {
			value, ok := unhex(text[i+1:])
			if !ok {
				return urlPath{}, refuse(URLPath, "the path has a % that two hexadecimal digits do not follow; write %25")
			}
			b, escaped = value, true
			i += 2
		}
		if err := checkByte(b, text[i+1:]); err != nil {
			return urlPath{}, err
		}
		decoded.WriteByte(b)
		writeByte(&dialled, b, isUnreserved(b) || !escaped && isPathByte(b))
		writeByte(&compared, b, isPathByte(b))
	}
	if !utf8.ValidString(decoded.String()) {
		return urlPath{}, refuse(URLPath, "the path is not UTF-8 when it is decoded")
	}
	if s := decoded.String(); strings.HasPrefix(s, ".;") || strings.HasPrefix(s, "..;") {
		return urlPath{}, refuse(URLPath, "the path has a dot segment with a parameter, which some servers resolve; leave it out")
	}
	return urlPath{dialled: dialled.String(), compared: compared.String()}, nil
}

// checkByte refuses bytes that some servers take for the end of a segment or of the
// path. rest is the escaped text that follows.
func checkByte(b byte, rest string) error {
	switch {
	case b == '/' || b == '\\':
		return refuse(URLPath, "the path has an encoded slash or a backslash; write plain slashes")
	case b < ' ' || b == 0x7f:
		return refuse(URLPath, "the path has a control character; leave it out")
	case b == '%':
		for strings.HasPrefix(rest, "25") {
			rest = rest[2:]
		}
		if again, ok := unhex(rest); ok && strings.IndexByte(`./\`, again) >= 0 {
			return refuse(URLPath, "the path has a dot or slash that is encoded twice; write it once, plain")
		}
	}
	return nil
}

func writeByte(b *strings.Builder, c byte, plain bool) {
	const digits = "0123456789ABCDEF"
	if plain {
		b.WriteByte(c)
		return
	}
	b.Write([]byte{'%', digits[c>>4], digits[c&15]})
}

// unhex reads two hexadecimal digits at the beginning of s.
func unhex(s string) (byte, bool) {
	if len(s) < 2 {
		return 0, false
	}
	b, err := hex.DecodeString(s[:2])
	if err != nil {
		return 0, false
	}
	return b[0], true
}

// isUnreserved is RFC 3986, 2.3: encoded or not, they mean the same.
func isUnreserved(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || strings.IndexByte("-._~", b) >= 0
}

// isPathByte is pchar of RFC 3986, 3.3, but for the encoded ones.
func isPathByte(b byte) bool {
	return isUnreserved(b) || strings.IndexByte("!$&'()*+,;=:@", b) >= 0
}
