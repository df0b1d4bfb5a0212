package manifests

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/placeholder"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Limits of strings, in bytes.
const (
	maxTitle       = 128
	maxIcon        = 64
	maxDescription = 4096
	maxConfirm     = 1024
	maxVersion     = 128
	maxEnvName     = 128
	maxArg         = 4096
)

// reservedName is not allowed, because the tool would look like a part of this program.
const reservedName = "wasmtool"

var (
	wordText    = lazyregexp.New(`^[a-z][a-z0-9_-]{0,63}$`)
	entryText   = lazyregexp.New(`^[A-Za-z0-9_.-]{1,128}$`)
	digestText  = lazyregexp.New(`^[0-9a-fA-F]{64}$`)
	envNameText = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// versionText is the grammar of Semantic Versioning 2.0.0.
	versionText = lazyregexp.New(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)` +
		`(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?` +
		`(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)
)

// parseWord reads a name.
func parseWord(text string) (string, error) {
	if wordText.MatchString(text) {
		return text, nil
	}
	const rule = `write a lower-case letter, then up to 63 of a-z, 0-9, "_" and "-"`
	switch lower := strings.ToLower(text); {
	case text == "":
		return "", errors.New("is empty; " + rule)
	case wordText.MatchString(lower):
		return "", fmt.Errorf("%s has upper-case letters; write %q", stricttoml.Quote(text), lower)
	case wordText.MatchString(strings.ReplaceAll(lower, " ", "_")):
		return "", fmt.Errorf("%s has spaces; write %q", stricttoml.Quote(text), strings.ReplaceAll(lower, " ", "_"))
	}
	return "", fmt.Errorf("%s is not a name; %s", stricttoml.Quote(text), rule)
}

// parseName reads the name of a tool.
func parseName(text string) (string, error) {
	if text == reservedName {
		return "", fmt.Errorf("%q is reserved; choose another name", text)
	}
	return parseWord(text)
}

// CheckName checks the name of a tool. Its error says what to write.
func CheckName(name string) error {
	_, err := parseName(name)
	return err
}

func parseVersion(text string) (string, error) {
	if len(text) > maxVersion {
		return "", tooLong(text, maxVersion)
	}
	if versionText.MatchString(text) {
		return text, nil
	}
	for _, guess := range []string{strings.TrimPrefix(text, "v"), text + ".0", text + ".0.0"} {
		if versionText.MatchString(guess) {
			return "", fmt.Errorf("%s is not a semantic version; write %q", stricttoml.Quote(text), guess)
		}
	}
	return "", fmt.Errorf(`%s is not a semantic version; write three numbers, such as "1.0.0"`, stricttoml.Quote(text))
}

func parseTitle(text string) (string, error)   { return parseProse(text, maxTitle, plaintext.Line) }
func parseIcon(text string) (string, error)    { return parseProse(text, maxIcon, plaintext.Line) }
func parseConfirm(text string) (string, error) { return parseProse(text, maxConfirm, plaintext.Line) }

func parseDescription(text string) (string, error) {
	return parseProse(text, maxDescription, plaintext.Lines)
}

// maxImportName limits the name of an import in bytes.
const maxImportName = 256

// parseImport reads the name of an import.
func parseImport(text string) (string, error) {
	module, name, ok := strings.Cut(text, ".")
	switch {
	case len(text) > maxImportName:
		return "", tooLong(text, maxImportName)
	case !ok || module == "" || name == "":
		return "", fmt.Errorf(`%s is not an import; write "module.name", such as "env.abort"`, stricttoml.Quote(text))
	}
	return text, nil
}

// parseProse reads a text for people and models.
func parseProse(text string, limit int, form plaintext.Form) (string, error) {
	if err := checkLength(text, limit); err != nil {
		return "", err
	}
	if found, bad := plaintext.First(text, form); bad {
		return "", fmt.Errorf("contains %s; leave it out", found)
	}
	return text, nil
}

// checkLength refuses a string that is blank or too long.
func checkLength(text string, limit int) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("is empty; write a string or leave the key out")
	case len(text) > limit:
		return tooLong(text, limit)
	}
	return nil
}

// PlainTitle turns any string into a valid title: on one line, cut to the limit, and without hidden
// characters. It returns "" when nothing is left.
func PlainTitle(text string) string {
	return plainProse(strings.Join(strings.Fields(text), " "), maxTitle, plaintext.Line)
}

// PlainDescription is like [PlainTitle] for a description, which may have several lines.
func PlainDescription(text string) string {
	return plainProse(strings.ReplaceAll(text, "\r\n", "\n"), maxDescription, plaintext.Lines)
}

// plainProse turns any string into a string that parseProse accepts, or into "".
func plainProse(text string, limit int, form plaintext.Form) string {
	text = strings.TrimSpace(plaintext.Strip(strings.ToValidUTF8(text, "\uFFFD"), form))
	if len(text) <= limit {
		return text
	}
	const mark = "…"
	return strings.TrimSpace(plaintext.Strip(strings.ToValidUTF8(text[:limit-len(mark)], ""), form)) + mark
}

func tooLong(text string, limit int) error {
	return fmt.Errorf("is %d bytes long; the limit is %d", len(text), limit)
}

func parseDigest(text string) (string, error) {
	if !digestText.MatchString(text) {
		return "", fmt.Errorf("%s is not a SHA-256 digest; write 64 hexadecimal digits", stricttoml.Quote(text))
	}
	return strings.ToLower(text), nil
}

func parseEnvName(text string) (string, error) {
	switch {
	case strings.ContainsAny(text, "*?"):
		return "", fmt.Errorf("%s asks for variables by pattern; name each variable", stricttoml.Quote(text))
	case len(text) > maxEnvName:
		return "", tooLong(text, maxEnvName)
	case !envNameText.MatchString(text):
		return "", fmt.Errorf(`%s is not the name of a variable; write letters, digits and "_", such as "LANG"`, stricttoml.Quote(text))
	case text == "PWD":
		return "", errors.New(`the host sets "PWD" to the directory of the workspace; leave it out`)
	}
	return text, nil
}

func parseArg(text string) (string, error) {
	if len(text) > maxArg {
		return "", tooLong(text, maxArg)
	}
	return text, nil
}

// parseEntry reads the name of an export. Messages contain the name, so only characters of
// identifiers, "." and "-" are allowed.
func parseEntry(text string) (string, error) {
	if !entryText.MatchString(text) {
		return "", fmt.Errorf(`%s is not the name of a function; write letters, digits, "_", "-" and ".", such as "call"`, stricttoml.Quote(text))
	}
	return text, nil
}

// maxMCPTool limits the name that a plug-in gives to a tool, in bytes.
const maxMCPTool = 256

// parseMCPTool reads the name that a plug-in gives to a tool.
func parseMCPTool(text string) (string, error) {
	if text == "" || len(text) > maxMCPTool || !plaintext.Plain(text, plaintext.Word) {
		return "", fmt.Errorf("is empty, longer than %d bytes, or not printable; write the name that the plug-in lists", maxMCPTool)
	}
	return text, nil
}

// parseStdin reads "json", "none" or "{parameter}".
func parseStdin(text string) (Stdin, error) {
	if !strings.HasPrefix(text, "{") {
		return stricttoml.ParseChoice(text, Stdin{Kind: StdinJSON}, Stdin{Kind: StdinNone})
	}
	name, err := parseParameter(text, `write "json", "none" or one "{parameter}"`)
	if err != nil {
		return Stdin{}, err
	}
	return Stdin{Kind: StdinParameter, Parameter: name}, nil
}

// parseParameter reads "{parameter}". fix is the instruction in the error about any other string.
func parseParameter(text, fix string) (string, error) {
	t, err := placeholder.Parse(text)
	if err != nil {
		return "", err
	}
	names := t.Parameters()
	if len(names) != 1 || text != "{"+names[0]+"}" {
		return "", fmt.Errorf(`%s is not one parameter; %s`, stricttoml.Quote(text), fix)
	}
	return names[0], nil
}

// parseTimeout reads a time such as "10s" or "1m30s".
func parseTimeout(text string) (time.Duration, error) {
	return stricttoml.ParseDuration(text, MinTimeout, MaxTimeout)
}

// parseMemory reads a memory limit, a multiple of the page size.
func parseMemory(text string) (uint64, error) {
	n, err := stricttoml.ParseSize(text, MinMemory, MaxMemory)
	if err != nil {
		return 0, err
	}
	if over := n % MinMemory; over != 0 {
		return 0, fmt.Errorf("%s is not a whole number of 64KiB pages; write %q", stricttoml.Quote(text), stricttoml.FormatSize(n-over+MinMemory))
	}
	return n, nil
}

func parseOutputLimit(text string) (uint64, error) {
	return stricttoml.ParseSize(text, MinOutput, MaxOutput)
}

// parseTools reads the name of a tool, or the beginning of names and a star.
func parseTools(text string) (string, error) {
	p, err := capability.NewPermission(capability.KindTools, text)
	return p.Name(), err
}
