package applypatch

import (
	"errors"
	"fmt"
	"strings"
)

// The lines that mark the parts of a patch in the form "*** Begin Patch".
const (
	beginMark  = "*** Begin Patch"
	endMark    = "*** End Patch"
	addMark    = "*** Add File: "
	updateMark = "*** Update File: "
	deleteMark = "*** Delete File: "
	moveMark   = "*** Move to: "
	eofMark    = "*** End of File"
)

// parseEnvelope parses a patch that begins with "*** Begin Patch".
func parseEnvelope(patch string) ([]filePatch, error) {
	lines := strings.Split(patch, "\n")
	first := 0
	for strings.TrimSpace(lines[first]) != beginMark {
		if first++; first == len(lines) {
			return nil, fmt.Errorf("%q must be on a line of its own", beginMark)
		}
	}
	p := envelope{number: first + 1}
	for _, text := range lines[first+1:] {
		p.number++
		if strings.TrimSpace(text) == endMark {
			return p.files, p.finish()
		}
		if err := p.line(text); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.number, err)
		}
	}
	return nil, fmt.Errorf("the patch is incomplete: its last line must be %q", endMark)
}

// envelope is the state of parseEnvelope.
type envelope struct {
	number int // of the current line
	files  []filePatch
	// fresh reports that the last hunk consists only of "@@" lines so far.
	fresh bool
	// blank reports that the part that adds a file contains an empty line.
	blank bool
}

// finish checks the part of the last file after its last line has been parsed.
func (p *envelope) finish() error {
	if len(p.files) == 0 {
		return errors.New("the patch changes no file")
	}
	f := p.current()
	if f.kind == update && f.moveTo == "" && len(f.hunks) == 0 {
		return fmt.Errorf("the part for %s has no changes", f.path())
	}
	p.trim()
	for _, h := range f.hunks {
		if len(h.lines) == 0 {
			return fmt.Errorf(`the part for %s has an "@@" line without lines after it`, f.path())
		}
	}
	return nil
}

// trim removes empty lines at the end of the last hunk, because they only separate the hunk from
// the next part. If they are lines of context, the hunk also matches without them.
func (p *envelope) trim() {
	f := p.current()
	if len(f.hunks) == 0 {
		return
	}
	last := &f.hunks[len(f.hunks)-1]
	for n := len(last.lines); n > 0 && last.lines[n-1] == (line{op: ' '}); n-- {
		last.lines = last.lines[:n-1]
	}
}

func (p *envelope) current() *filePatch { return &p.files[len(p.files)-1] }

// line parses the next line.
func (p *envelope) line(text string) error {
	for _, head := range []struct {
		mark string
		kind kind
	}{{addMark, add}, {updateMark, update}, {deleteMark, remove}} {
		path, ok := strings.CutPrefix(text, head.mark)
		if !ok {
			continue
		}
		if len(p.files) > 0 {
			if err := p.finish(); err != nil {
				return err
			}
		}
		p.files = append(p.files, filePatch{kind: head.kind, paths: []string{strings.TrimSpace(path)}})
		p.fresh, p.blank = false, false
		return nil
	}
	switch {
	case len(p.files) == 0 && strings.TrimSpace(text) == "":
		return nil
	case len(p.files) == 0:
		return fmt.Errorf(`%.100q precedes the first "*** Add File: ", "*** Update File: " or "*** Delete File: "`, text)
	}
	switch f := p.current(); f.kind {
	case add:
		if text == "" { // an empty line separates this part from the next part
			p.blank = true
			return nil
		}
		added, ok := strings.CutPrefix(text, "+")
		if !ok || p.blank {
			return fmt.Errorf(`%.100q: each line of an added file must begin with "+"; write "+" alone for an empty line`, text)
		}
		f.content += added + "\n"
	case remove:
		if strings.TrimSpace(text) != "" {
			return fmt.Errorf(`%.100q: remove this line; the part that deletes a file has only the line "*** Delete File: PATH"`, text)
		}
	default:
		return p.updateLine(f, text)
	}
	return nil
}

// updateLine parses a line of the part that updates f.
func (p *envelope) updateLine(f *filePatch, text string) error {
	if to, ok := strings.CutPrefix(text, moveMark); ok {
		if f.moveTo != "" || len(f.hunks) > 0 {
			return fmt.Errorf("%q must follow the line with the name of the file", strings.TrimSpace(moveMark))
		}
		f.moveTo = strings.TrimSpace(to)
		return nil
	}
	if within, ok := strings.CutPrefix(text, "@@"); ok {
		if !p.fresh {
			p.trim()
			f.hunks = append(f.hunks, hunk{})
			p.fresh = true
		}
		last := &f.hunks[len(f.hunks)-1]
		// Ignore the line numbers: some models write the hunk headers of unified diffs here.
		if _, section, numbered := strings.Cut(strings.TrimPrefix(within, " -"), " @@"); numbered {
			within = section
		}
		if within = strings.TrimSpace(within); within != "" {
			last.within = append(last.within, within)
		}
		return nil
	}
	if len(f.hunks) == 0 { // the first "@@" line may be missing
		if strings.TrimSpace(text) == "" {
			return nil
		}
		f.hunks = append(f.hunks, hunk{})
	}
	last := &f.hunks[len(f.hunks)-1]
	p.fresh = false
	switch {
	case strings.TrimSpace(text) == eofMark:
		last.end = true
	case text == "": // an empty line of context whose space was removed
		last.lines = append(last.lines, line{op: ' '})
	case strings.IndexByte(" +-", text[0]) >= 0:
		last.lines = append(last.lines, line{op: text[0], text: text[1:]})
	default:
		return fmt.Errorf(`%.100q: each line of a change must begin with " " (keep), "-" (delete) or "+" (add)`, text)
	}
	return nil
}
