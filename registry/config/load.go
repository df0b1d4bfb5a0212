package config

import (
	"errors"
	"os"
	"path/filepath"

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
	text, err := readTrusted(f.Path)
	if errors.Is(err, plainfile.ErrMissing) && !f.Named {
		return Decode(f, nil, getenv)
	}
	if err != nil {
		return nil, Errors{{File: f.Name, Message: err.Error()}}
	}
	return Decode(f, text, getenv)
}

// Decode is Load for the text of a file, which is not read: f.Path is where paths in it
// are relative to.
func Decode(f File, text []byte, getenv func(name string) (string, bool)) (*Config, error) {
	c := newConfig()
	c.lookup = getenv
	if f.Path != "" {
		path, err := filepath.Abs(f.Path)
		if err != nil {
			return nil, Errors{{File: f.Name, Message: "the current folder is not known; name the file by its whole path"}}
		}
		c.path = path
	}
	if err := read(c, f.Name, filepath.Dir(c.path), text); err != nil {
		return nil, err
	}
	return c, nil
}

// readTrusted reads a file that only those can change who may say what tools do.
func readTrusted(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, plainfile.Reason(err)
	}
	// Looking before opening spares a device the side effects of an open.
	if err := plainfile.Check(info, MaxFileBytes); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDONLY|plainfile.NonBlocking, 0)
	if err != nil {
		return nil, plainfile.Reason(err)
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, plainfile.Reason(err)
	}
	if err := checkTrust(path, info); err != nil {
		return nil, err
	}
	return plainfile.Read(file, MaxFileBytes)
}
