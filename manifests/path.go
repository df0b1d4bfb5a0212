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

// maxPath is the ceiling of a path or pattern, in bytes.
const maxPath = 255

// parseModulePath reads a path relative to the manifest's folder. Only loading
// can tell whether a leading ".." leaves the folder that is loaded.
func parseModulePath(text string) (string, error) {
	switch {
	case text == "":
		return "", errors.New(`is empty; name a file, such as "tool.wasm"`)
	case len(text) > maxPath:
		return "", tooLong(text, maxPath)
	case strings.Contains(text, "://"):
		return "", fmt.Errorf("%s is a URL; name a file in the folder that is loaded", stricttoml.Quote(text))
	case strings.Contains(text, `\`):
		return "", fmt.Errorf(`%s holds a "\"; write "/" between folders`, stricttoml.Quote(text))
	case strings.Contains(text, ":"):
		return "", fmt.Errorf(`%s holds a ":"; write a path relative to the manifest's folder`, stricttoml.Quote(text))
	case strings.HasPrefix(text, "/"):
		return "", fmt.Errorf("%s is absolute; write a path relative to the manifest's folder", stricttoml.Quote(text))
	case !plaintext.Plain(text, plaintext.Word):
		return "", fmt.Errorf("%s holds a character that is not printable; rename the file", stricttoml.Quote(text))
	}
	clean := path.Clean(text)
	if base := path.Base(clean); base == "." || base == ".." || strings.HasSuffix(text, "/") {
		return "", fmt.Errorf("%s is a folder; name a file in it", stricttoml.Quote(text))
	}
	if strings.TrimPrefix(text, "./") != clean {
		return "", fmt.Errorf("%s takes a detour; write %q", stricttoml.Quote(text), clean)
	}
	return clean, nil
}

// parseSchemaPath reads a path that stays inside the manifest's folder: unlike a
// module, a schema has no digest that would vouch for it elsewhere.
func parseSchemaPath(text string) (string, error) {
	clean, err := parseModulePath(text)
	if err == nil && outside(clean) {
		return "", fmt.Errorf("%s leaves the manifest's folder; put the schema beside the manifest", stricttoml.Quote(text))
	}
	return clean, err
}

// outside reports whether a clean relative path starts by leaving its folder.
func outside(clean string) bool { return strings.HasPrefix(clean, "../") }

// parseGuestPath reads where a guest sees a mount.
func parseGuestPath(text string) (string, error) {
	switch {
	case len(text) > maxPath:
		return "", tooLong(text, maxPath)
	case !strings.HasPrefix(text, "/"):
		return "", fmt.Errorf(`%s is not absolute; write a path of the guest, such as "/data"`, stricttoml.Quote(text))
	case strings.Contains(text, `\`) || !plaintext.Plain(text, plaintext.Word):
		return "", fmt.Errorf(`%s holds a character that a path of the guest may not; write names with "/" between`, stricttoml.Quote(text))
	case path.Clean(text) != text:
		return "", fmt.Errorf("%s takes a detour; write %q", stricttoml.Quote(text), path.Clean(text))
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
		return "", fmt.Errorf(`%s holds a character that a pattern may not; write names with "/" between, and "[*]" for a star`, stricttoml.Quote(text))
	// Alternatives cost the matcher time exponential in their number.
	case strings.ContainsAny(text, "{}"):
		return "", fmt.Errorf("%s holds alternatives in braces; write one pattern for each", stricttoml.Quote(text))
	case strings.HasSuffix(text, "/"):
		return "", fmt.Errorf("%s ends with a slash; write %q for a folder and all below it", stricttoml.Quote(text), strings.TrimRight(text, "/")+"/**")
	case path.Clean(text) != text || text == "." || text == ".." || outside(text):
		return "", fmt.Errorf(`%s has "." or ".." or nothing between slashes; write a plain path below the mount`, stricttoml.Quote(text))
	case !doublestar.ValidatePattern(text):
		return "", fmt.Errorf(`%s is not a pattern; close each "["`, stricttoml.Quote(text))
	}
	return text, nil
}
