package commands

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/wasmtool/wasmtool/guest-examples/internal/regex"
)

const grepOptions = "# e,regexp: f,file: E,extended-regexp F,fixed-strings G,basic-regexp P,perl-regexp i,ignore-case y " +
	"no-ignore-case v,invert-match w,word-regexp x,line-regexp c,count l,files-with-matches L,files-without-match " +
	"m,max-count: o,only-matching q,quiet,silent s,no-messages b,byte-offset H,with-filename h,no-filename n,line-number " +
	"Z,null z,null-data A,after-context: B,before-context: C,context: a,text I binary-files: " +
	"r,recursive R,dereference-recursive d,directories: D,devices: include: exclude: exclude-from: exclude-dir: " +
	"color,colour:: U,binary line-buffered label: group-separator: no-group-separator"

const grepNote = "Matching takes linear time, so back-references are not supported, and -P has no lookaround. -r visits directories in the order of names. \\< and \\> mean \\b. Classes and \\b know the letters of all scripts; with -P, \\d knows their digits."

var grep = spec{
	name: "grep", synopsis: "[OPTION]... PATTERNS [FILE]...", options: grepOptions, usage: 2, note: grepNote,
	run: func(p *process, o options, words []string) int { return runGrep(p, o, words, basic) },
}

var egrep = spec{
	name: "egrep", synopsis: "[OPTION]... PATTERNS [FILE]...", options: grepOptions, usage: 2, note: grepNote,
	run: func(p *process, o options, words []string) int { return runGrep(p, o, words, extended) },
}

var fgrep = spec{
	name: "fgrep", synopsis: "[OPTION]... PATTERNS [FILE]...", options: grepOptions, usage: 2, note: grepNote,
	run: func(p *process, o options, words []string) int { return runGrep(p, o, words, fixed) },
}

// grepper is one run of grep.
type grepper struct {
	p                                    *process
	pattern                              *lineMatcher
	group                                int // number of the group whose text is the match
	invert, count, list, listOthers      bool
	only, quiet, silent, offsets, number bool
	names                                bool
	nul                                  bool // print NUL after a file name
	end                                  byte
	text, skipBinary                     bool
	before, after                        int
	maximum                              int // max matching lines in each file; -1 means no limit
	separator                            string
	label                                string
	filter                               grepFilter
	matched                              bool // at least one line in any file was selected
	// parted reports that an earlier file has printed lines, so -- must precede the next group.
	parted bool
}

// grepFilter selects the files that -r searches.
type grepFilter struct{ include, exclude, excludeDir []*regexp.Regexp }

func runGrep(p *process, o options, words []string, kind syntax) int {
	g := &grepper{
		p: p, invert: o.has("v"), count: o.has("c"), quiet: o.has("q"), silent: o.has("s"),
		list: o.has("l"), listOthers: o.has("L"), only: o.has("o"), offsets: o.has("b"), number: o.has("n"),
		nul: o.has("Z"), end: lineEnd(o, "z"), skipBinary: o.has("I") || o.value("binary-files", "") == "without-match",
		text: o.has("a") || o.value("binary-files", "") == "text", maximum: -1,
		separator: "--\n", label: o.value("label", "(standard input)"),
	}
	if color := o.value("color", "never"); color != "never" && color != "auto" && color != "" {
		p.errorf("--color=%s is not supported; use --color=never", color)
		return 2
	}
	words, err := g.setUp(o, words, kind)
	if err != nil {
		p.errorf("%v", err)
		return 2
	}
	recursive := o.has("r") || o.has("R") || o.value("d", "") == "recurse"
	if len(words) == 0 {
		words = []string{"-"}
		if recursive {
			words = []string{""} // search the working directory, and print names without a prefix
		}
	}
	g.names = (len(words) > 1 || recursive) && !(len(words) == 1 && words[0] != "" && !p.isDirectory(words[0]))
	if last := o.last("H", "h"); last != "" {
		g.names = last == "H"
	}
	if g.maximum != 0 {
		for _, name := range words {
			if p.stopped() || g.quiet && g.matched {
				break
			}
			if recursive && (name == "" || p.isDirectory(name)) {
				g.directory(name, 0)
				continue
			}
			g.file(name, o.value("d", "") == "skip")
		}
	}
	switch {
	case g.quiet && g.matched:
		return 0
	case p.status != 0:
		return 2
	case g.matched:
		return 0
	}
	return 1
}

// setUp parses the patterns and the numeric options, and returns the names of the files.
func (g *grepper) setUp(o options, words []string, kind syntax) ([]string, error) {
	switch o.last("E", "F", "G", "P") {
	case "E":
		kind = extended
	case "F":
		kind = fixed
	case "G":
		kind = basic
	case "P":
		kind = perl
	}
	var patterns []string
	given := false
	for _, opt := range o {
		switch opt.name {
		case "e":
			patterns, given = append(patterns, strings.Split(opt.value, "\n")...), true
		case "f":
			data, err := g.p.readFile(opt.value)
			if err != nil {
				return nil, fmt.Errorf("%s: %s", opt.value, message(err))
			}
			for _, line := range appendLines(nil, data, '\n') {
				patterns = append(patterns, string(line))
			}
			given = true
		case "A", "B", "C", "#", "m":
			n, err := strconv.Atoi(opt.value)
			if err != nil || n < 0 && opt.name != "m" {
				if opt.name == "m" {
					return nil, errors.New("invalid max count")
				}
				return nil, fmt.Errorf("%s: invalid context length argument", opt.value)
			}
			switch opt.name {
			case "A":
				g.after = n
			case "B":
				g.before = n
			case "m":
				g.maximum = n
			default:
				g.before, g.after = n, n
			}
		case "group-separator":
			g.separator = opt.value + "\n"
		case "no-group-separator":
			g.separator = ""
		case "include":
			g.filter.include = append(g.filter.include, compileGlob(opt.value, false))
		case "exclude":
			g.filter.exclude = append(g.filter.exclude, compileGlob(opt.value, false))
		case "exclude-from":
			data, err := g.p.readFile(opt.value)
			if err != nil {
				return nil, fmt.Errorf("%s: %s", opt.value, message(err))
			}
			for _, line := range appendLines(nil, data, '\n') {
				g.filter.exclude = append(g.filter.exclude, compileGlob(string(line), false))
			}
		case "exclude-dir":
			g.filter.excludeDir = append(g.filter.excludeDir, compileGlob(strings.TrimSuffix(opt.value, "/"), false))
		}
	}
	if !given {
		if len(words) == 0 {
			return nil, customary("no pattern; usage: grep [OPTION]... PATTERNS [FILE]...")
		}
		patterns, words = strings.Split(words[0], "\n"), words[1:]
	}
	return words, g.compile(o, patterns, kind)
}

func (g *grepper) compile(o options, patterns []string, kind syntax) error {
	flags := ""
	if o.last("i", "y", "no-ignore-case") != "no-ignore-case" && (o.has("i") || o.has("y")) {
		flags = "i"
	}
	if len(patterns) == 0 { // an empty pattern file matches nothing
		re, err := regex.Compile(`[^\x00-\x{10FFFF}]`)
		g.pattern = &lineMatcher{Regexp: re}
		return err
	}
	parts := make([]string, 0, len(patterns))
	for _, pattern := range patterns {
		re, warnings, err := compilePattern(pattern, kind, "")
		if err != nil {
			return err
		}
		for _, w := range warnings {
			g.p.flush()
			fmt.Fprintf(g.p.env.Stderr, "%s: warning: %s\n", g.p.name, w)
		}
		parts = append(parts, "(?:"+re.String()+")")
	}
	all := "(?:" + strings.Join(parts, "|") + ")"
	switch {
	case o.has("x"):
		all = "^" + all + "$"
	case o.has("w"):
		all = `(?:^|\W)(` + all + `)(?:\W|$)`
		g.group = 1
	}
	re, err := regex.Compile("(?s" + flags + ")" + all)
	if err != nil {
		return explainPattern(err, kind)
	}
	if kind != perl {
		re.Longest()
	}
	g.pattern = &lineMatcher{Regexp: re}
	return nil
}

// maxDepth limits the directory levels of a walk.
const maxDepth = 200

// directory searches all files below a directory.
func (g *grepper) directory(name string, depth int) {
	shown := name
	if shown == "" {
		shown = "."
	}
	if depth > maxDepth {
		g.complain(shown, syscall.ENAMETOOLONG)
		return
	}
	entries, err := os.ReadDir(g.p.path(shown))
	if err != nil {
		g.complain(shown, err)
		return
	}
	for _, entry := range entries {
		if g.p.stopped() || g.quiet && g.matched {
			return
		}
		inner := name + "/" + entry.Name()
		if name == "" || strings.HasSuffix(name, "/") {
			inner = name + entry.Name()
		}
		switch {
		case entry.IsDir():
			if !matchesAny(g.filter.excludeDir, entry.Name()) {
				g.directory(inner, depth+1)
			}
		case entry.Type().IsRegular():
			g.file(inner, false)
		}
	}
}

func matchesAny(patterns []*regexp.Regexp, name string) bool {
	return slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return re.MatchString(name) })
}

func (g *grepper) complain(name string, err error) {
	if !g.silent {
		g.p.errorf("%s: %s", name, message(err))
	}
	g.p.status = 2
}

func (g *grepper) file(name string, skipDirectories bool) {
	base := path.Base(name)
	if len(g.filter.include) > 0 && !matchesAny(g.filter.include, base) || matchesAny(g.filter.exclude, base) {
		return
	}
	r, err := g.p.open(name)
	if err != nil {
		if skipDirectories && errors.Is(err, syscall.EISDIR) {
			return
		}
		g.complain(name, err)
		return
	}
	defer r.Close()
	shown := name
	if name == "-" {
		shown = g.label
	}
	s := &grepSearch{grepper: g, name: shown}
	if err := s.search(r); err != nil {
		g.complain(name, err)
	}
}

// grepSearch is the search of one file.
type grepSearch struct {
	*grepper
	name    string
	binary  bool
	line    int   // number of the current line
	offset  int64 // of the current line
	hits    int
	printed int // number of the last printed line
	left    int // number of context lines that are still to be printed
	held    []heldLine
}

type heldLine struct {
	text   []byte
	offset int64
}

func (s *grepSearch) search(r io.Reader) error {
	lines := newLineReader(r, s.end)
	if head, _ := lines.r.Peek(1); len(head) > 0 && s.end == '\n' {
		head, _ = lines.r.Peek(lines.r.Buffered())
		s.binary = !s.text && slices.Contains(head, 0)
	}
	if s.binary && s.skipBinary {
		return nil
	}
	quietly := s.quiet || s.list || s.listOthers
	for !s.p.stopped() {
		line, _, err := lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		s.line++
		found := s.pattern.Match(line) != s.invert
		if found && s.maximum >= 0 && s.hits >= s.maximum {
			break
		}
		switch {
		case found:
			s.hits++
			if quietly || s.binary && !s.count {
				return s.finish()
			}
			if !s.count {
				s.hit(line)
			}
		case !s.count && !quietly:
			s.context(line)
		}
		s.offset += int64(len(line)) + 1
		if s.maximum >= 0 && s.hits >= s.maximum && s.left == 0 {
			break
		}
	}
	return s.finish()
}

// finish prints the output that follows a file, such as the count.
func (s *grepSearch) finish() error {
	found := s.hits > 0
	switch {
	case s.quiet:
	case s.list || s.listOthers:
		if found == s.list {
			s.p.print(s.name)
			if s.nul {
				s.p.print("\x00")
			} else {
				s.p.print("\n")
			}
		}
	case s.count:
		s.prefix(':', -1, -1)
		s.p.printf("%d\n", s.hits)
	case found && s.binary:
		s.p.flush()
		fmt.Fprintf(s.p.env.Stderr, "%s: %s: binary file matches\n", s.p.name, s.name)
	}
	s.matched = s.matched || found
	return nil
}

// prefix prints the file name, line number and offset that the options request.
func (s *grepSearch) prefix(mark byte, line int, offset int64) {
	if s.names {
		s.p.print(s.name)
		if s.nul {
			s.p.print("\x00")
		} else {
			s.p.write([]byte{mark})
		}
	}
	if s.number && line >= 0 {
		s.p.printf("%d%c", line, mark)
	}
	if s.offsets && offset >= 0 {
		s.p.printf("%d%c", offset, mark)
	}
}

func (s *grepSearch) hit(line []byte) {
	if s.only {
		s.parts(line)
		return
	}
	s.separate(s.line - len(s.held))
	for i, h := range s.held {
		s.prefix('-', s.line-len(s.held)+i, h.offset)
		s.p.writeLine(h.text, s.end)
	}
	s.held = s.held[:0]
	s.prefix(':', s.line, s.offset)
	s.p.writeLine(line, s.end)
	s.printed, s.left, s.parted = s.line, s.after, true
}

// separate prints -- between groups of lines that do not follow each other.
func (s *grepSearch) separate(from int) {
	if s.before+s.after > 0 && (s.printed > 0 && from > s.printed+1 || s.printed == 0 && s.parted) {
		s.p.print(s.separator)
	}
}

// parts prints each match in a line, for -o.
func (s *grepSearch) parts(line []byte) {
	if s.invert {
		return
	}
	s.separate(s.line)
	s.printed, s.parted = s.line, true
	part := func(from, to int) {
		if from < to {
			s.prefix(':', s.line, s.offset+int64(from))
			s.p.writeLine(line[from:to], s.end)
		}
	}
	if s.group == 0 {
		for _, m := range s.pattern.FindAllSubmatchIndex(line, -1) {
			part(m[0], m[1])
		}
		return
	}
	// With -w, the character after a match may also be the one before the next match.
	for at := 0; at <= len(line); {
		m := s.pattern.FindSubmatchIndex(line[at:])
		if m == nil {
			return
		}
		from, to := at+m[2*s.group], at+m[2*s.group+1]
		part(from, to)
		at = max(to, from+1)
	}
}

func (s *grepSearch) context(line []byte) {
	switch {
	case s.left > 0:
		s.left--
		if !s.only {
			s.prefix('-', s.line, s.offset)
			s.p.writeLine(line, s.end)
			s.printed = s.line
		}
	case s.before > 0:
		if len(s.held) == s.before {
			s.held = s.held[1:]
		}
		s.held = append(s.held, heldLine{slices.Clone(line), s.offset})
	}
}
