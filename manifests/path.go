package manifests

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// maxPath limits a path or pattern, in bytes.
const maxPath = 255

// parseModulePath reads a path relative to the manifest's directory. Whether a leading ".." leaves
// the loaded directory is checked when the module is loaded.
func parseModulePath(text string) (string, error) {
	switch {
	case text == "":
		return "", errors.New(`is empty; name a file, such as "tool.wasm"`)
	case len(text) > maxPath:
		return "", tooLong(text, maxPath)
	case strings.Contains(text, "://"):
		return "", fmt.Errorf("%s is a URL; name a file in the loaded directory", stricttoml.Quote(text))
	case strings.Contains(text, `\`):
		return "", fmt.Errorf(`%s contains a "\"; separate directories with "/"`, stricttoml.Quote(text))
	case strings.Contains(text, ":"):
		return "", fmt.Errorf(`%s contains a ":"; write a path relative to the manifest's directory`, stricttoml.Quote(text))
	case strings.HasPrefix(text, "/"):
		return "", fmt.Errorf("%s is absolute; write a path relative to the manifest's directory", stricttoml.Quote(text))
	case !plaintext.Plain(text, plaintext.Word):
		return "", fmt.Errorf("%s contains a character that is not printable; rename the file", stricttoml.Quote(text))
	}
	clean := path.Clean(text)
	if base := path.Base(clean); base == "." || base == ".." || strings.HasSuffix(text, "/") {
		return "", fmt.Errorf("%s is a directory; name a file in it", stricttoml.Quote(text))
	}
	if strings.TrimPrefix(text, "./") != clean {
		return "", fmt.Errorf("%s is not a clean path; write %q", stricttoml.Quote(text), clean)
	}
	return clean, nil
}

// parseSchemaPath reads a path that stays inside the manifest's directory. Unlike a module, a
// schema has no digest that would allow it to be elsewhere.
func parseSchemaPath(text string) (string, error) {
	clean, err := parseModulePath(text)
	if err == nil && outside(clean) {
		return "", fmt.Errorf("%s leaves the manifest's directory; put the file next to the manifest", stricttoml.Quote(text))
	}
	return clean, err
}

// parseDataPath reads the path of a directory inside the manifest's directory.
func parseDataPath(text string) (string, error) {
	clean, err := parseModulePath(text)
	if path.Clean(text) == "." || err == nil && outside(clean) {
		return "", fmt.Errorf("%s is not a directory below the manifest's directory; put the files into one, such as data = \"lib\"", stricttoml.Quote(text))
	}
	return clean, err
}

// outside reports whether a cleaned relative path leads out of its directory.
func outside(clean string) bool { return strings.HasPrefix(clean, "../") }

// parseGuestPath reads the path at which a guest sees a mount.
func parseGuestPath(text string) (string, error) {
	switch {
	case len(text) > maxPath:
		return "", tooLong(text, maxPath)
	case !strings.HasPrefix(text, "/"):
		return "", fmt.Errorf(`%s is not absolute; write a path of the guest, such as "/data"`, stricttoml.Quote(text))
	case strings.Contains(text, `\`) || !plaintext.Plain(text, plaintext.Word):
		return "", fmt.Errorf(`%s contains a character that a guest path must not have; write names with "/" between them`, stricttoml.Quote(text))
	case path.Clean(text) != text:
		return "", fmt.Errorf("%s is not a clean path; write %q", stricttoml.Quote(text), path.Clean(text))
	}
	return text, nil
}

// parseDeny reads a pattern of paths below a mount.
func parseDeny(text string) (string, error) {
	switch {
	case text == "":
		return "", errors.New(`is empty; write a pattern, such as "**/.env"`)
	case len(text) > maxPath:
		return "", tooLong(text, maxPath)
	case strings.HasPrefix(text, "/"):
		return "", fmt.Errorf("%s is absolute; write a pattern relative to the mount", stricttoml.Quote(text))
	case strings.Contains(text, `\`) || !plaintext.Plain(text, plaintext.Word):
		return "", fmt.Errorf(`%s contains a character that a pattern must not have; write names with "/" between them, and "[*]" for a star`, stricttoml.Quote(text))
	// The matcher takes time exponential in the number of alternatives.
	case strings.ContainsAny(text, "{}"):
		return "", fmt.Errorf("%s contains alternatives in braces; write one pattern for each", stricttoml.Quote(text))
	case strings.HasSuffix(text, "/"):
		return "", fmt.Errorf("%s ends with a slash; write %q for a directory and everything below it", stricttoml.Quote(text), strings.TrimRight(text, "/")+"/**")
	case path.Clean(text) != text || text == "." || text == ".." || outside(text):
		return "", fmt.Errorf(`%s has "." or ".." or nothing between slashes; write a plain path below the mount`, stricttoml.Quote(text))
	case !doublestar.ValidatePattern(text):
		return "", fmt.Errorf(`%s is not a pattern; close each "["`, stricttoml.Quote(text))
	}
	return text, nil
}
