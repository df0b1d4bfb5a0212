package grep

import (
	"bytes"
	"fmt"
	"io"
	"maps"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

// report builds the output, file by file. It counts all matches, even matches that the output does
// not show.
type report struct {
	// pattern is the pattern, and start is the file or directory that is searched.
	pattern, start string
	mode           Mode
	before, after  int64 // lines of context
	max            int

	searched, binary int // numbers of files; searched includes files without needles
	matched          int // files with a match
	lines            int // matching lines
	shown            int // number of lines or files in out
	out              bytes.Buffer
	matches          []any            // the results in out, for programs
	unread           workspace.Unread // counts files and directories
	leftOut          workspace.LeftOut

	name  string // the current file
	found int    // number of matching lines in the current file
	hits  []hit  // matching lines to show with context
}

// begin starts the results of a file.
func (r *report) begin(name string) {
	r.searched++
	r.name, r.found, r.hits = name, 0, r.hits[:0]
}

// add adds a matching line of the current file, and reports whether to continue the search.
func (r *report) add(h hit) bool {
	r.found++
	switch {
	case r.mode != Content:
		return r.mode != Files // one match is enough
	case !r.room():
	case r.before > 0 || r.after > 0:
		h.line, h.at = excerpt(h.line, h.at), 0
		r.hits = append(r.hits, h)
	default:
		r.shown++
		r.match("line", h.number)
		r.write(h.number, ':', excerpt(h.line, h.at))
	}
	return true
}

// end finishes the results of the current file. reopen opens the file again, to read the lines of
// context.
func (r *report) end(reopen func() (io.ReadCloser, error)) error {
	if r.found == 0 {
		return nil
	}
	r.matched++
	r.lines += r.found
	switch {
	case r.mode == Content && len(r.hits) > 0:
		return r.writeContext(reopen)
	case r.mode == Files && r.room():
		r.shown++
		r.matches = append(r.matches, map[string]any{"path": r.name})
		fmt.Fprintln(&r.out, workspace.Display(r.name))
	case r.mode == Count && r.room():
		r.shown++
		r.match("count", int64(r.found))
		fmt.Fprintf(&r.out, "%s:%d\n", workspace.Display(r.name), r.found)
	}
	return nil
}

// match adds a result in the current file for programs: the number of a line, or of its lines.
func (r *report) match(name string, number int64) {
	r.matches = append(r.matches, map[string]any{"path": r.name, name: number})
}

// room reports whether the output may show one more result.
func (r *report) room() bool {
	return r.shown+len(r.hits) < r.max && r.out.Len() < MaxOutput
}

// write adds a line of the current file; mark is ':' for a match and '-' for context.
func (r *report) write(number int64, mark byte, line []byte) {
	fmt.Fprintf(&r.out, "%s%c%d%c%s\n", workspace.Display(r.name), mark, number, mark, line)
}

// finish writes to w the output and a summary of what it leaves out.
func (r *report) finish(w io.Writer) error {
	if r.matched == 0 {
		r.nothing()
	}
	total, unit := r.matched, "files with matches"
	if r.mode == Content {
		total, unit = r.lines, "matching lines in "+toolabi.Quantity(r.matched, "file")
	}
	if r.shown < total {
		fmt.Fprintf(&r.out, "\n(%d of %d %s shown; narrow pattern, path or glob, or set max_results)\n", r.shown, total, unit)
	}
	r.out.WriteString(r.leftOut.Note())
	r.out.WriteString(r.unread.Note("path"))
	title := "Found " + toolabi.Quantity(r.lines, "matching line") + " in " + toolabi.Quantity(r.matched, "file")
	if r.mode == Files {
		title = "Found " + toolabi.Quantity(r.matched, "file")
	}
	metadata := map[string]any{
		"pattern": r.pattern, "searchPath": r.start, "count": total, "truncated": r.shown < total,
		"ignored": r.leftOut.Ignored, "hidden": r.leftOut.Hidden,
	}
	details := maps.Clone(metadata)
	details["fileCount"] = r.matched
	details["matches"] = append([]any{}, r.matches...) // [] and not null
	return toolabi.WriteResult(w, toolabi.DetailedResult(title, r.out.String(), metadata, details))
}

// nothing writes the message for a search without matches, and its likely reason.
func (r *report) nothing() {
	if r.searched+r.binary == 0 {
		fmt.Fprintln(&r.out, "no matches: no file was searched; check path and glob")
		return
	}
	fmt.Fprintf(&r.out, "no matches (files searched: %d, binary files skipped: %d)\n", r.searched, r.binary)
}
