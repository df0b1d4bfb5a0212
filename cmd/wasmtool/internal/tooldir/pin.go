package tooldir

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/manifests"
)

var (
	// digestLine is the beginning of a line with a digest, up to its value, and the value.
	digestLine = lazyregexp.New(`(?m)^([ \t]*(?:module\.)?sha256[ \t]*=[ \t]*)["'][0-9A-Fa-f]*["']`)
	// pathLine is the line of module.path, as a key of [module] or with its table.
	pathLine = lazyregexp.New(`(?ms)^\[module\][^\n]*\n(?:[^\[][^\n]*\n|\n)*?([ \t]*)path[ \t]*=[^\n]*\n|^([ \t]*module\.)path[ \t]*=[^\n]*\n`)
)

// Pin writes the digest of the module into the manifest in dir: in place of its old digest, or in a
// new line below module.path. It changes nothing else. If the manifest is written in another way,
// Pin changes nothing, and the error says what to write.
func Pin(dir, digest string) error {
	path := filepath.Join(dir, manifests.FileName)
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	pinned := string(text)
	if lines := digestLine.Regexp().FindAllIndex(text, -1); len(lines) > 0 {
		if len(lines) == 1 {
			pinned = digestLine.Regexp().ReplaceAllString(pinned, `${1}"`+digest+`"`)
		}
	} else if at := pathLine.Regexp().FindStringSubmatchIndex(pinned); at != nil {
		key := "sha256"
		if at[4] >= 0 {
			key = pinned[at[4]:at[5]] + key
		}
		pinned = pinned[:at[1]] + key + ` = "` + digest + "\"\n" + pinned[at[1]:]
	}
	// A line may be a part of a string, so what the manifest says now is what counts.
	if m, err := manifests.Decode(path, []byte(pinned)); err != nil || m.Module.SHA256 != digest {
		return fmt.Errorf("%s: the line of the digest was not found; write module.sha256 = %q", path, digest)
	}
	return Replace(path, []byte(pinned))
}

// Replace replaces the content of a file completely or not at all, and keeps its mode.
func Replace(path string, content []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	next := path + ".new"
	if err = os.WriteFile(next, content, info.Mode().Perm()); err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		_ = os.Remove(next) // the first error is the one that counts
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	return nil
}
