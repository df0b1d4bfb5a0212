package stringtool

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// Format is a text encoding, for the operations encode and decode.
type Format string

// The formats. Regex and Shell are only for encode.
const (
	HTML      Format = "html"      // &lt; and similar
	URL       Format = "url"       // with escapes such as %20, for any part of a URL
	JSON      Format = "json"      // a JSON string with its quotes
	Base64    Format = "base64"    // with padding
	Base64URL Format = "base64url" // without padding
	Hex       Format = "hex"
	Regex     Format = "regex" // a regular expression that matches only this text
	Shell     Format = "shell" // one word of a POSIX shell
)

func encode(args Args) (string, error) {
	text := *args.Text
	switch args.Format {
	case HTML:
		return html.EscapeString(text), nil
	case URL:
		return strings.ReplaceAll(url.QueryEscape(text), "+", "%20"), nil
	case JSON:
		return jsonvalue.NewString(text).String(), nil
	case Base64:
		return base64.StdEncoding.EncodeToString([]byte(text)), nil
	case Base64URL:
		return base64.RawURLEncoding.EncodeToString([]byte(text)), nil
	case Hex:
		return hex.EncodeToString([]byte(text)), nil
	case Regex:
		return regexp.QuoteMeta(text), nil
	case Shell:
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'", nil
	}
	return "", unknownFormat(args.Format, "html, url, json, base64, base64url, hex, regex or shell")
}

func decode(args Args) (string, error) {
	text := *args.Text
	var decoded string
	var content []byte
	var err error
	switch args.Format {
	case HTML:
		return html.UnescapeString(text), nil
	case URL:
		decoded, err = url.QueryUnescape(text)
	case JSON:
		decoded, err = decodeJSON(text)
	case Base64, Base64URL:
		content, err = toolabi.DecodeBase64(text)
		decoded = string(content)
	case Hex:
		content, err = hex.DecodeString(withoutSpace(text))
		decoded = string(content)
	default:
		return "", unknownFormat(args.Format, "html, url, json, base64, base64url or hex")
	}
	if err != nil {
		return "", fmt.Errorf("the text is not valid %s: %w", args.Format, err)
	}
	if !utf8.ValidString(decoded) {
		return "", fmt.Errorf("the text decodes to %d bytes that are not valid UTF-8; in hexadecimal the first bytes are %.32x", len(decoded), decoded)
	}
	return decoded, nil
}

func unknownFormat(format Format, formats string) error {
	if format == "" {
		return fmt.Errorf(`the argument "format" is missing; it must be %s`, formats)
	}
	return fmt.Errorf(`the argument "format" is %q; it must be %s`, format, formats)
}

// decodeJSON decodes a JSON string, with or without its quotes.
func decodeJSON(text string) (string, error) {
	if trimmed := strings.TrimSpace(text); len(trimmed) < 2 || trimmed[0] != '"' || trimmed[len(trimmed)-1] != '"' {
		text = `"` + text + `"`
	}
	var decoded string
	if err := json.Unmarshal([]byte(text), &decoded); err != nil {
		return "", err
	}
	return decoded, nil
}

// withoutSpace removes all white space, because long lines of encoded data are often wrapped.
func withoutSpace(text string) string { return strings.Join(strings.Fields(text), "") }
