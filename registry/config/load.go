package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/wasmtool/wasmtool/internal/plainfile"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Load reads an operator's file, which must be a regular file of at most 256 KiB. On Unix, its
// owner must be the user of this process or root, and only the owner may be able to change it. For
// the zero File, and for a missing file that was not named explicitly, Load returns the Config of
// an empty file. getenv looks up variables, even after Load has returned; nil means os.LookupEnv.
//
// A non-nil error is an [Errors] with every error of the file.
func Load(f File, getenv func(name string) (string, bool)) (*Config, error) {
	if f.Path == "" {
		return Decode(f, nil, getenv)
	}
	text, errs := readTrusted(f.Path)
	if !f.Named && slices.Contains(errs, plainfile.ErrMissing) {
		return Decode(f, nil, getenv)
	}
	if len(errs) > 0 {
		return nil, wholeFile(f, errs...)
	}
	return Decode(f, text, getenv)
}

// Schema returns the JSON Schema of an operator's file, for editors. describe returns the
// description of a key, such as "mounts.NAME.path", or "".
func Schema(describe func(key string) string) map[string]any {
	return stricttoml.Schema("An operator's file: "+FileName, formatKeys(), describe)
}

// Decode is like [Load] for the content of a file, and opens no file. Paths in it are relative to
// the directory of f.Path.
func Decode(f File, text []byte, getenv func(name string) (string, bool)) (*Config, error) {
	c := newConfig()
	c.lookup = getenv
	if text != nil {
		sum := sha256.Sum256(text)
		c.digest = hex.EncodeToString(sum[:])
	}
	if f.Path != "" {
		path, err := filepath.Abs(f.Path)
		if err != nil {
			return nil, wholeFile(f, errors.New("the current directory is unknown; give the absolute path of the file"))
		}
		c.path = path
	}
	if err := read(c, f.Name, filepath.Dir(c.path), text); err != nil {
		return nil, err
	}
	return c, nil
}

// wholeFile returns errors that have no line and column as an Errors.
func wholeFile(f File, causes ...error) error {
	var errs Errors
	for _, cause := range causes {
		errs = append(errs, &Error{File: f.Name, Message: cause.Error()})
	}
	return errs
}

// readTrusted reads a file. It refuses a file that other users can change, because the file decides
// what tools may do.
func readTrusted(path string) ([]byte, []error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, []error{plainfile.Reason(err)}
	}
	// The check before opening avoids side effects of opening a device.
	if err := plainfile.Check(info, MaxFileBytes); err != nil {
		return nil, []error{err}
	}
	file, err := os.OpenFile(path, os.O_RDONLY|plainfile.NonBlocking, 0)
	if err != nil {
		return nil, []error{plainfile.Reason(err)}
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, []error{plainfile.Reason(err)}
	}
	if reasons := plainfile.Distrust(path, info, "grant permissions"); len(reasons) > 0 {
		return nil, reasons
	}
	text, err := plainfile.Read(file, MaxFileBytes)
	if err != nil {
		return nil, []error{err}
	}
	return text, nil
}

// FileName is the usual name of an operator's file.
const FileName = "wasmtool.toml"

// PathVariable is the variable that names the operator's file.
const PathVariable = "WASMTOOL_CONFIG"

// File is the location of an operator's file. The zero value means no file.
type File struct {
	// Path is the path of the file; empty means no file.
	Path string
	// Name is the path in errors, as the operator wrote it.
	Name string
	// Named means that the operator named the file, so it must exist.
	Named bool
}

// Find returns the location of the operator's file: the explicit path from a flag, the path in the
// variable WASMTOOL_CONFIG, or wasmtool/wasmtool.toml in the user's configuration directory, in
// this order. The first two are relative to the directory cwd. Find does not check that the file
// exists. A wasmtool.toml in cwd is used only when it is named, because an agent may have written
// it. getenv looks up variables.
func Find(cwd, explicit string, getenv func(name string) (string, bool)) File {
	if explicit == "" {
		explicit, _ = getenv(PathVariable)
	}
	if explicit != "" {
		path := explicit
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		return File{Path: path, Name: filepath.ToSlash(explicit), Named: true}
	}
	dir, name := userConfigDir(getenv)
	if dir == "" {
		return File{}
	}
	return File{Path: filepath.Join(dir, "wasmtool", FileName), Name: name + "/wasmtool/" + FileName}
}

// userConfigDir returns the user's configuration directory, and a name for it that does not reveal
// the user's name. Both are empty when the directory is unknown.
func userConfigDir(getenv func(name string) (string, bool)) (dir, name string) {
	switch home := homeDir(getenv); {
	case runtime.GOOS == "windows":
		if dir, _ = getenv("AppData"); filepath.IsAbs(dir) {
			return dir, "%AppData%"
		}
	case runtime.GOOS == "darwin" || runtime.GOOS == "ios":
		if home != "" {
			return filepath.Join(home, "Library", "Application Support"), "~/Library/Application Support"
		}
	default:
		if dir, _ = getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
			return dir, "$XDG_CONFIG_HOME"
		}
		if home != "" {
			return filepath.Join(home, ".config"), "~/.config"
		}
	}
	return "", ""
}

// Error is one error in an operator's file:
//   - File is the Name of the file.
//   - Line and Column are the place of the error, from 1. Both are 0 for an error of the whole
//     file.
//   - Key is the dotted path of the wrong key, or "" when the error is not about one key.
//   - Message says what is wrong and how to fix it.
//
// The method Error joins them as "file:line:column: key: message".
type Error = stricttoml.Error

// Errors are all errors in one file, in the order of the file. Errors of the whole file come first.
// An Errors that is returned as an error is never empty, and errors.As finds an *Error in it.
type Errors = stricttoml.Errors
