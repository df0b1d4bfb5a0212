// todo-list finds comments such as TODO in the files of the workspace.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

type arguments struct {
	Directory string `json:"directory"` // the host fills in the default
	Limit     int    `json:"limit"`
}

type result struct {
	Comments []comment `json:"comments"`
	More     bool      `json:"more"`
}

type comment struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Kind  string `json:"kind"`
	Owner string `json:"owner,omitempty"`
	Text  string `json:"text"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err) // the message for the model
		os.Exit(1)
	}
}

func run() error {
	var args arguments
	if err := json.NewDecoder(os.Stdin).Decode(&args); err != nil {
		return err
	}
	found, err := search(args)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(found)
}

const maxFile = 1 << 20

func search(args arguments) (result, error) {
	r := result{Comments: []comment{}} // a JSON list, even if it is empty
	err := filepath.WalkDir(args.Directory, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrPermission): // a file that the manifest or the operator denies
			return nil
		case err != nil:
			return err
		case entry.IsDir() && name != args.Directory && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		if info, err := entry.Info(); err != nil || info.Size() > maxFile {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		for _, c := range comments(name, content) {
			if len(r.Comments) == args.Limit {
				r.More = true
				return fs.SkipAll
			}
			r.Comments = append(r.Comments, c)
		}
		return nil
	})
	if wrapped := new(fs.PathError); errors.As(err, &wrapped) {
		err = fmt.Errorf("%s: %w", wrapped.Path, wrapped.Err)
	}
	return r, err
}

// marker matches the beginning of a comment and the word in it.
var marker = regexp.MustCompile(`(?://|#|/\*|\*|--|;|<!--)\s*(TODO|FIXME|XXX|HACK)\b(?:\(([^)]*)\))?:?\s*(.*)`)

func comments(name string, content []byte) []comment {
	if bytes.IndexByte(content, 0) >= 0 {
		return nil // not a text
	}
	var found []comment
	number := 0
	for line := range bytes.Lines(content) {
		number++
		if m := marker.FindSubmatch(line); m != nil {
			text := strings.TrimSpace(strings.TrimRight(string(m[3]), "*/->\r\n "))
			found = append(found, comment{File: name, Line: number, Kind: string(m[1]), Owner: string(m[2]), Text: text})
		}
	}
	return found
}
