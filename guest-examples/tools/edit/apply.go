package edit

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

var errTooLarge = fmt.Errorf("the file would be larger than the %d bytes that edit takes", MaxSize)

// Edit is one replacement of a text by another.
type Edit struct {
	// OldString is the text to replace, not empty. It stands for itself; only
	// a line feed in it stands for a carriage return with a line feed too,
	// unless it has carriage returns of its own.
	OldString string `json:"old_string"`
	// NewString is the text to put in its place. It stands for itself; only
	// its line feeds become the line ends of the place, unless OldString has
	// carriage returns.
	NewString string `json:"new_string"`
	// ReplaceAll replaces OldString wherever it stands; otherwise it has to
	// stand in one place alone.
	ReplaceAll bool `json:"replace_all"`
}

// Outcome is what edits make of a file.
type Outcome struct {
	// Content is the content of the file afterwards.
	Content []byte
	// Replacements is how many places were changed.
	Replacements int
	// Notes are sentences on edits that were not taken to the letter.
	Notes []string

	before, after text.Document
	changes       []change
	showReturns   bool
}

// Apply makes the edits in the text of a file, of which data is the content, one
// after the other: each sees what those before it made. shown is the name of the
// file in texts; name says which edit is meant, and is "" for the only one. data
// is left as it is.
func Apply(data []byte, shown string, edits []Edit, name func(i int) string) (Outcome, error) {
	doc, err := text.ParseDocument(data)
	if errors.Is(err, text.ErrBinary) {
		return Outcome{}, fmt.Errorf("file_path: %s is a binary file of %d bytes; edit changes text only", shown, len(data))
	}
	if err != nil {
		return Outcome{}, err
	}
	done := Outcome{before: doc, after: doc}
	for i, edit := range edits {
		if err := done.step(edit, shown, name(i)); err != nil {
			return Outcome{}, fmt.Errorf("%s%w", name(i), err)
		}
	}
	if done.Content = doc.Bytes(done.after.Text); len(done.Content) > MaxSize {
		return Outcome{}, errTooLarge
	}
	if len(edits) > 1 && bytes.Equal(doc.Text, done.after.Text) { // one edit has seen to that
		return Outcome{}, fmt.Errorf("%s would stay as it is: the edits take back one another", shown)
	}
	return done, nil
}

// step makes one edit in the text so far.
func (o *Outcome) step(edit Edit, shown, name string) error {
	switch {
	case edit.OldString == "":
		return errors.New("old_string is empty; give the text to replace, or use write to give a file its whole content")
	case edit.OldString == edit.NewString:
		return errors.New("new_string is the same as old_string; there is nothing to change")
	}
	if o.after.Unknown {
		if err := checkASCII(shown, edit); err != nil {
			return err
		}
	}
	v := newView(o.after.Text, strings.Contains(edit.OldString, "\r"))
	r := replacement{search: v.search([]byte(edit.OldString)), insert: newInsertion(v, edit.OldString, edit.NewString)}
	count, err := 1, error(nil)
	if loose, ok := r.relaxed(edit); ok {
		r.insert, r.only = newInsertion(v, loose.old, loose.new), &loose.place
		o.Notes = append(o.Notes, name+loose.note)
	} else if count, err = r.checkPlaces(shown, edit.ReplaceAll, o.after.Unknown); err != nil {
		return err
	}
	edited, changes, err := r.splice()
	if err != nil {
		return err
	}
	if !changed(o.after.Text, edited, changes) {
		return fmt.Errorf("%s would stay as it is: where old_string stands, new_string with the line ends of the file is the same", shown)
	}
	o.after.Text = edited
	o.changes = compose(o.changes, changes)
	o.Replacements += count
	o.showReturns = o.showReturns || strings.Contains(edit.OldString+edit.NewString, "\r")
	return nil
}

// reportSize is how many bytes most reports have at most.
const reportSize = 1 << 10

// Report words what was changed in the file called shown, by one edit or more.
func (o Outcome) Report(shown string, edits int) []byte {
	head := "edited " + shown + ": "
	if edits > 1 {
		head += toolabi.Quantity(edits, "edit") + ", "
	}
	head += toolabi.Quantity(o.Replacements, "replacement") + "\n"
	report := append(make([]byte, 0, reportSize), head...)
	for _, note := range o.Notes {
		report = append(report, "("+note+")\n"...)
	}
	d := differ{old: o.before.Text, new: o.after.Text, showReturns: o.showReturns}
	return d.append(report, shown, o.changes)
}

// checkASCII refuses to look for or insert what has no certain form in a file
// of unknown encoding.
func checkASCII(shown string, edit Edit) error {
	for _, param := range []struct{ name, value string }{{"old_string", edit.OldString}, {"new_string", edit.NewString}} {
		for _, r := range param.value {
			if r >= utf8.RuneSelf {
				return fmt.Errorf("%s has the character %q, and %s is neither UTF-8 nor UTF-16, so that it is unknown how to write it there; use ASCII characters alone", param.name, r, shown)
			}
		}
	}
	return nil
}
