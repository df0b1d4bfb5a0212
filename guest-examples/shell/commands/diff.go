package commands

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/linediff"
)

var diff = spec{
	name: "diff", synopsis: "[OPTION]... FILE FILE", usage: 2,
	options: "# u U: unified:: q,brief r,recursive N,new-file i,ignore-case w,ignore-all-space b,ignore-space-change Z,ignore-trailing-space " +
		"B,ignore-blank-lines s,report-identical-files a,text L,label: x,exclude: normal color:: d,minimal p,show-c-function strip-trailing-cr " +
		"c C y,side-by-side e,ed",
	note: "Supports the normal and the unified format; -c, -y and -e are refused.",
	run:  runDiff,
}

// comparison is one run of diff.
type comparison struct {
	p                   *process
	context             int // number of lines shown around a change; -1 selects the normal format
	functions           bool
	brief, same         bool
	recursive, absent   bool
	fold, noSpace       bool
	lessSpace, trailing bool
	noBlank, text, crlf bool
	labels              []string
	exclude             []*regexp.Regexp
	// the options that are printed above each pair of files in directories
	options string
	status  int
}

func runDiff(p *process, o options, names []string) int {
	for _, refused := range []string{"c", "C", "y", "e"} {
		if o.has(refused) {
			p.errorf("-%s is not supported; use -u", refused)
			return 2
		}
	}
	unified := o.last("u", "U", "unified") != ""
	switch color := o.value("color", "never"); {
	case color != "never" && color != "auto":
		p.errorf("--color=%s is not supported; use --color=never", cmp.Or(color, "always"))
		return 2
	case o.has("normal") && unified:
		p.errorf("conflicting output style options")
		return 2
	case o.has("p") && !unified:
		p.errorf("-p without -u is not supported; use -u -p")
		return 2
	}
	d := &comparison{
		p: p, context: -1, functions: o.has("p"), brief: o.has("q"), same: o.has("s"), recursive: o.has("r"), absent: o.has("N"),
		fold: o.has("i"), noSpace: o.has("w"), lessSpace: o.has("b"), trailing: o.has("Z"), noBlank: o.has("B"), text: o.has("a"),
		crlf: o.has("strip-trailing-cr"), labels: o.values("L"),
	}
	for _, opt := range o {
		switch opt.name {
		case "u":
			d.context = max(d.context, 3)
		case "U", "unified", "#":
			n, err := strconv.Atoi(opt.value)
			if opt.value == "" {
				n, err = 3, nil
			}
			if err != nil || n < 0 {
				p.errorf("invalid context length '%s'", opt.value)
				return 2
			}
			if unified { // -5 alone has no effect on the normal format
				d.context = n
			}
		case "x":
			d.exclude = append(d.exclude, compileGlob(opt.value, false))
		}
	}
	switch {
	case len(names) == 0:
		p.errorf("missing operand after 'diff'")
		return 2
	case len(names) == 1:
		p.errorf("missing operand after '%s'", names[0])
		return 2
	case len(names) > 2:
		p.errorf("extra operand '%s'", names[2])
		return 2
	}
	d.options = shownOptions(p.env.Args[1:])
	d.operands(names[0], names[1])
	if p.status != 0 {
		return 2
	}
	return d.status
}

// shownOptions returns the options for the line that diff prints above each pair of files.
func shownOptions(words []string) string {
	out := ""
	for _, word := range words {
		if len(word) > 1 && word[0] == '-' {
			out += " " + word
		}
	}
	return out
}

func (d *comparison) operands(a, b string) {
	directoryA, directoryB := d.p.isDirectory(a), d.p.isDirectory(b)
	switch {
	case a == "-" && b == "-":
		// Both are the same file, which is not read.
		if d.same {
			d.p.print("Files - and - are identical\n")
		}
	case directoryA && directoryB:
		d.directories(a, b, 0)
	case directoryA && b != "-":
		d.files(join(a, baseOf(b)), b)
	case directoryB && a != "-":
		d.files(a, join(b, baseOf(a)))
	default:
		d.files(a, b)
	}
}

func (d *comparison) fail(name string, err error) {
	d.p.errorf("%s: %s", name, message(err))
	d.p.status = 2
}

func (d *comparison) directories(a, b string, depth int) {
	if depth > maxDepth || d.p.stopped() {
		return
	}
	entriesA, err := os.ReadDir(d.p.path(a))
	if err != nil && (!d.absent || !errors.Is(err, fs.ErrNotExist)) {
		d.fail(a, err)
		return
	}
	entriesB, err := os.ReadDir(d.p.path(b))
	if err != nil && (!d.absent || !errors.Is(err, fs.ErrNotExist)) {
		d.fail(b, err)
		return
	}
	for len(entriesA) > 0 || len(entriesB) > 0 {
		var order int
		switch {
		case len(entriesA) == 0:
			order = 1
		case len(entriesB) == 0:
			order = -1
		default:
			order = strings.Compare(entriesA[0].Name(), entriesB[0].Name())
		}
		var entryA, entryB fs.DirEntry
		if order <= 0 {
			entryA, entriesA = entriesA[0], entriesA[1:]
		}
		if order >= 0 {
			entryB, entriesB = entriesB[0], entriesB[1:]
		}
		d.entries(a, b, entryA, entryB, depth)
	}
}

// entries compares two directory entries of the same name. An entry that one directory lacks is
// nil.
func (d *comparison) entries(a, b string, entryA, entryB fs.DirEntry, depth int) {
	one := entryA
	if one == nil {
		one = entryB
	}
	name := one.Name()
	if matchesAny(d.exclude, name) {
		return
	}
	if (entryA == nil || entryB == nil) && !d.absent {
		directory := a
		if entryA == nil {
			directory = b
		}
		d.p.printf("Only in %s: %s\n", strings.TrimSuffix(directory, "/"), name)
		d.status = 1
		return
	}
	innerA, innerB := join(a, name), join(b, name)
	for _, inner := range []string{innerA, innerB} {
		info, err := os.Stat(d.p.path(inner))
		if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			d.p.printf("File %s is not a regular file or directory and was skipped\n", inner)
			d.status = 1
			return
		}
	}
	switch {
	case entryA != nil && entryB != nil && entryA.IsDir() != entryB.IsDir():
		kinds := map[bool]string{true: "directory", false: "regular file"}
		kindA, kindB := kinds[entryA.IsDir()], kinds[entryB.IsDir()]
		for i, inner := range []string{innerA, innerB} {
			if info, err := os.Stat(d.p.path(inner)); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
				if i == 0 {
					kindA = "regular empty file"
				} else {
					kindB = "regular empty file"
				}
			}
		}
		d.p.printf("File %s is a %s while file %s is a %s\n", innerA, kindA, innerB, kindB)
		d.status = 1
	case one.IsDir() && d.recursive:
		d.directories(innerA, innerB, depth+1)
	case one.IsDir():
		d.p.printf("Common subdirectories: %s and %s\n", innerA, innerB)
	default:
		d.heading(innerA, innerB)
	}
}

// heading compares two files of directories. If they differ, it prints the command line above the
// differences.
func (d *comparison) heading(a, b string) {
	out := *d.p.env
	var text bounded
	out.Stdout = &text
	inner := *d
	inner.p = newProcess(d.p.ctx, &out, "diff")
	inner.status = 0
	inner.files(a, b)
	inner.p.flush()
	d.status = max(d.status, inner.status)
	d.p.status = max(d.p.status, inner.p.status)
	if inner.p.outErr != nil {
		d.fail(a, inner.p.outErr)
		return
	}
	if head := text.Bytes(); len(head) > 0 && !d.brief && !bytes.HasPrefix(head, []byte("Binary files ")) && !bytes.HasPrefix(head, []byte("Files ")) {
		d.p.printf("diff%s %s %s\n", d.options, a, b)
	}
	d.p.write(text.Bytes())
}

func (d *comparison) read(name string) (data []byte, shown string, err error) {
	data, err = d.p.readFile(name)
	if d.absent && errors.Is(err, fs.ErrNotExist) {
		data, err = nil, nil
	}
	return data, name, err
}

func (d *comparison) files(a, b string) {
	textA, _, errA := d.read(a)
	textB, _, errB := d.read(b)
	if errA != nil {
		d.fail(a, errA)
	}
	if errB != nil {
		d.fail(b, errB)
	}
	if errA != nil || errB != nil {
		return
	}
	equal := bytes.Equal(textA, textB)
	binary := !d.text && (isBinary(textA) || isBinary(textB))
	if !equal && binary {
		d.status = 1
		if d.brief {
			d.p.printf("Files %s and %s differ\n", a, b)
		} else {
			d.p.printf("Binary files %s and %s differ\n", a, b)
		}
		return
	}
	var changes []linediff.Change
	linesA, linesB := splitLines(textA), splitLines(textB)
	if !equal {
		numbersA, numbersB := linediff.Numbers(linesA, linesB, d.reduce)
		var err error
		if changes, err = linediff.Changes(d.p.ctx, numbersA, numbersB); err != nil {
			return
		}
		changes = d.relevant(changes, linesA, linesB)
	}
	switch {
	case len(changes) == 0:
		if d.same {
			d.p.printf("Files %s and %s are identical\n", a, b)
		}
		return
	case d.brief:
		d.p.printf("Files %s and %s differ\n", a, b)
	case d.context >= 0:
		d.p.printf("--- %s\n+++ %s\n", d.label(0, a), d.label(1, b))
		w := unifiedWriter{w: d.p, a: linesA, b: linesB, context: d.context, functions: d.functions}
		w.write(changes)
	default:
		writeNormal(d.p, linesA, linesB, changes)
	}
	d.status = 1
}

func isBinary(text []byte) bool { return bytes.IndexByte(text[:min(len(text), 32<<10)], 0) >= 0 }

// label returns the text for one file in the header of a unified diff.
func (d *comparison) label(at int, name string) string {
	if at < len(d.labels) {
		return d.labels[at]
	}
	stamp := "1970-01-01 00:00:00.000000000 +0000"
	if name == "-" {
		return name
	}
	if info, err := os.Stat(d.p.path(name)); err == nil {
		stamp = strftime("%F %T.%N %z", d.p.in(info.ModTime()))
	}
	return name + "\t" + stamp
}

// splitLines splits a text into lines. Each line keeps its line feed.
func splitLines(text []byte) [][]byte {
	var lines [][]byte
	for line := range bytes.Lines(text) {
		lines = append(lines, line)
	}
	return lines
}

// reduce returns a line in the form that is compared: without differences in case and white space
// that the options ignore.
func (d *comparison) reduce(line []byte) []byte {
	if d.crlf {
		if text, ok := bytes.CutSuffix(line, []byte("\r\n")); ok {
			line = append(bytes.Clone(text), '\n')
		}
	}
	switch {
	case d.noSpace:
		line = bytes.Join(bytes.Fields(line), nil)
	case d.lessSpace:
		fields := bytes.Fields(line)
		reduced := bytes.Join(fields, []byte(" "))
		if len(line) > 0 && (line[0] == ' ' || line[0] == '\t') && len(fields) > 0 {
			reduced = append([]byte(" "), reduced...)
		}
		line = reduced
	case d.trailing:
		line = bytes.TrimRight(line, " \t\r\n\v\f")
	}
	if d.fold {
		line = bytes.ToLower(line)
	}
	return line
}

// relevant removes changes that consist only of blank lines, for -B.
func (d *comparison) relevant(changes []linediff.Change, a, b [][]byte) []linediff.Change {
	if !d.noBlank {
		return changes
	}
	blank := func(lines [][]byte) bool {
		for _, line := range lines {
			if len(bytes.TrimRight(line, "\r\n")) > 0 {
				return false
			}
		}
		return true
	}
	kept := changes[:0]
	for _, c := range changes {
		if !blank(a[c.OldStart:c.OldEnd]) || !blank(b[c.NewStart:c.NewEnd]) {
			kept = append(kept, c)
		}
	}
	return kept
}

const noEnd = "\\ No newline at end of file\n"

func writeMarked(w io.Writer, mark string, lines [][]byte) {
	for _, line := range lines {
		fmt.Fprintf(w, "%s%s", mark, line)
		if !bytes.HasSuffix(line, []byte("\n")) {
			fmt.Fprint(w, "\n"+noEnd)
		}
	}
}

// writeNormal writes the normal format.
func writeNormal(w io.Writer, a, b [][]byte, changes []linediff.Change) {
	for _, c := range changes {
		switch {
		case c.OldStart == c.OldEnd:
			fmt.Fprintf(w, "%da%s\n", c.OldStart, lineRange(c.NewStart, c.NewEnd))
		case c.NewStart == c.NewEnd:
			fmt.Fprintf(w, "%sd%d\n", lineRange(c.OldStart, c.OldEnd), c.NewStart)
		default:
			fmt.Fprintf(w, "%sc%s\n", lineRange(c.OldStart, c.OldEnd), lineRange(c.NewStart, c.NewEnd))
		}
		writeMarked(w, "< ", a[c.OldStart:c.OldEnd])
		if c.OldStart != c.OldEnd && c.NewStart != c.NewEnd {
			fmt.Fprint(w, "---\n")
		}
		writeMarked(w, "> ", b[c.NewStart:c.NewEnd])
	}
}

func lineRange(start, end int) string {
	if end-start == 1 {
		return strconv.Itoa(end)
	}
	return fmt.Sprintf("%d,%d", start+1, end)
}

// unifiedWriter writes the unified format.
type unifiedWriter struct {
	w       io.Writer
	a, b    [][]byte
	context int
	// functions writes the last line above each hunk that begins like a function.
	functions bool
}

// function returns the last line before line number at that begins with a letter, $ or _, for the
// header of a hunk.
func (u unifiedWriter) function(at int) string {
	if !u.functions {
		return ""
	}
	for at--; at >= 0; at-- {
		if line := u.a[at]; isAlpha(line[0]) || line[0] == '_' || line[0] == '$' {
			line = bytes.TrimRight(line, " \t\n\v\f\r")
			return " " + string(bytes.TrimRight(line[:min(len(line), 40)], " \t\v\f\r"))
		}
	}
	return ""
}

func (u unifiedWriter) write(changes []linediff.Change) {
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].OldStart-changes[n-1].OldEnd <= 2*u.context {
			n++
		}
		u.hunk(changes[:n])
		changes = changes[n:]
	}
}

func (u unifiedWriter) hunk(changes []linediff.Change) {
	first, last := changes[0], changes[len(changes)-1]
	before := min(u.context, first.OldStart)
	after := min(u.context, len(u.a)-last.OldEnd)
	fmt.Fprintf(u.w, "@@ -%s +%s @@%s\n", unifiedRange(first.OldStart-before, last.OldEnd+after), unifiedRange(first.NewStart-before, last.NewEnd+after), u.function(first.OldStart-before))
	at := first.OldStart - before
	for _, c := range changes {
		writeMarked(u.w, " ", u.a[at:c.OldStart])
		writeMarked(u.w, "-", u.a[c.OldStart:c.OldEnd])
		writeMarked(u.w, "+", u.b[c.NewStart:c.NewEnd])
		at = c.OldEnd
	}
	writeMarked(u.w, " ", u.a[at:last.OldEnd+after])
}

func unifiedRange(start, end int) string {
	switch end - start {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return strconv.Itoa(end)
	}
	return fmt.Sprintf("%d,%d", start+1, end-start)
}
