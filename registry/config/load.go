package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/wasmtool/wasmtool/internal/plainfile"
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
