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

// Load reads an operator's file. It has to be a regular file of at most 256 KiB that, on
// Unix, nobody but its owner can change, who is the user of this process or root. The
// zero File, and one that is not there and was not named, give the Config of an empty
// file. getenv looks up variables of this process, now and later; nil means those that
// it has.
//
// A non-nil error is an Errors with every fault of the file.
func Load(f File, getenv func(name string) (string, bool)) (*Config, error) {
	if f.Path == "" {
		return Decode(f, nil, getenv)
	}
	text, faults := readTrusted(f.Path)
	if !f.Named && slices.Contains(faults, plainfile.ErrMissing) {
		return Decode(f, nil, getenv)
	}
	if len(faults) > 0 {
		return nil, wholeFile(f, faults...)
	}
	return Decode(f, text, getenv)
}

// Decode is Load for the text of a file, which is not read: f.Path is where paths in it
// are relative to.
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
			return nil, wholeFile(f, errors.New("the current folder is not known; name the file by its whole path"))
		}
		c.path = path
	}
	if err := read(c, f.Name, filepath.Dir(c.path), text); err != nil {
		return nil, err
	}
	return c, nil
}

// wholeFile makes the error of faults that have no place in the file.
func wholeFile(f File, faults ...error) error {
	var errs Errors
	for _, fault := range faults {
		errs = append(errs, &Error{File: f.Name, Message: fault.Error()})
	}
	return errs
}

// readTrusted reads a file that only those can change who may say what tools do.
func readTrusted(path string) ([]byte, []error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, []error{plainfile.Reason(err)}
	}
	// Looking before opening spares a device the side effects of an open.
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
	if faults := plainfile.Distrust(path, info, "grant permissions"); len(faults) > 0 {
		return nil, faults
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

// File says where an operator's file is. The zero value is no file.
type File struct {
	// Path is where it is; empty means that there is none.
	Path string
	// Name is what errors call it: the path as the operator wrote it.
	Name string
	// Named tells that the operator named the file, so that it has to be there.
	Named bool
}

// Find returns the operator's file: the explicit one of a flag, or that of the variable
// WASMTOOL_CONFIG, both relative to the folder cwd, or else wasmtool/wasmtool.toml in the
// user's configuration folder. It does not look whether the file is there. A
// wasmtool.toml in cwd is not taken unless it is named: an agent may have written it.
// getenv looks up variables of this process.
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
	folder, name := userFolder(getenv)
	if folder == "" {
		return File{}
	}
	return File{Path: filepath.Join(folder, "wasmtool", FileName), Name: name + "/wasmtool/" + FileName}
}

// userFolder returns the user's configuration folder, with a name for it that does not
// tell where it is; both are empty when it is not known.
func userFolder(getenv func(name string) (string, bool)) (folder, name string) {
	switch home := homeFolder(getenv); {
	case runtime.GOOS == "windows":
		if folder, _ = getenv("AppData"); filepath.IsAbs(folder) {
			return folder, "%AppData%"
		}
	case runtime.GOOS == "darwin" || runtime.GOOS == "ios":
		if home != "" {
			return filepath.Join(home, "Library", "Application Support"), "~/Library/Application Support"
		}
	default:
		if folder, _ = getenv("XDG_CONFIG_HOME"); filepath.IsAbs(folder) {
			return folder, "$XDG_CONFIG_HOME"
		}
		if home != "" {
			return filepath.Join(home, ".config"), "~/.config"
		}
	}
	return "", ""
}

// Error is one fault of an operator's file. File is its Name; Line and Column, from 1,
// are where the fault is, both 0 for a fault of the whole file; Key is the dotted path
// of the key at fault, or ""; Message says what is wrong and how to mend it. Error joins
// them as "file:line:column: key: message".
type Error = stricttoml.Error

// Errors is every fault of one file in the order of the file, those of the whole file
// first. It is never empty where it is returned as an error; errors.As finds an *Error
// in it.
type Errors = stricttoml.Errors
