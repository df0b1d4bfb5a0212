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

var errTooLarge = fmt.Errorf("the file would be larger than the limit of %d bytes", MaxSize)

// Edit is one replacement.
type Edit struct {
	// OldString is the literal text to replace and must not be empty. A line feed in it matches a
	// line feed and a CRLF, unless OldString contains carriage returns.
	OldString string `json:"old_string"`
	// NewString is the literal replacement. Its line feeds are replaced with the line ends of the
	// replaced text, unless OldString contains carriage returns.
	NewString string `json:"new_string"`
	// ReplaceAll replaces every occurrence of OldString. Without it, OldString must occur exactly
	// once.
	ReplaceAll bool `json:"replace_all"`
}

// Outcome is the result of the edits to a file.
type Outcome struct {
	// Content is the new content of the file.
	Content []byte
	// Replacements is the number of replaced occurrences.
	Replacements int
	// Notes describe the edits that did not match exactly, one sentence for each.
	Notes []string

	before, after text.Document
	changes       []change
	showReturns   bool
}

// Apply makes the edits to data, the content of a file, in order. Each edit applies to the result
// of the previous edits. The parameter shown is the name of the file in messages. name returns the
// name of an edit in messages, or "" if there is only one edit. Apply does not change data.
func Apply(data []byte, shown string, edits []Edit, name func(i int) string) (Outcome, error) {
	doc, err := text.ParseDocument(data)
	if errors.Is(err, text.ErrBinary) {
		return Outcome{}, fmt.Errorf("file_path: %s is a binary file of %d bytes; edit changes only text files", shown, len(data))
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
	// for a single edit, step makes this check
	if len(edits) > 1 && bytes.Equal(doc.Text, done.after.Text) {
		return Outcome{}, fmt.Errorf("%s would not change: the edits undo each other", shown)
	}
	return done, nil
}

// step makes one edit to the current text.
func (o *Outcome) step(edit Edit, shown, name string) error {
	switch {
	case edit.OldString == "":
		return errors.New("old_string is empty; give the text to replace, or use write to replace the whole file")
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
		return fmt.Errorf("%s would not change: with the line ends of the file, new_string equals old_string", shown)
	}
	o.after.Text = edited
	o.changes = compose(o.changes, changes)
	o.Replacements += count
	o.showReturns = o.showReturns || strings.Contains(edit.OldString+edit.NewString, "\r")
	return nil
}

// reportSize is an initial buffer size in bytes that is large enough for most reports.
const reportSize = 1 << 10

// Report describes the changes that edits made to the file called shown.
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

// checkASCII returns an error if an edit has characters other than ASCII. It is for files of
// unknown encoding, in which the bytes of such characters are unknown.
func checkASCII(shown string, edit Edit) error {
	for _, param := range []struct{ name, value string }{{"old_string", edit.OldString}, {"new_string", edit.NewString}} {
		for _, r := range param.value {
			if r >= utf8.RuneSelf {
				return fmt.Errorf("%s has the character %q, but the encoding of %s is unknown; use only ASCII characters", param.name, r, shown)
			}
		}
	}
	return nil
}
