package commands

import (
	"cmp"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var ls = spec{
	name: "ls", synopsis: "[OPTION]... [FILE]...", usage: 2,
	options: "l a,all A,almost-all 1 R,recursive t r,reverse S h,human-readable d,directory F classify:: p v X U f " +
		"n,numeric-uid-gid g o G,no-group m Q,quote-name k,kibibytes s,size c u N,literal L,dereference " +
		"H B,ignore-backups I,ignore: color:: sort: time: time-style: full-time group-directories-first zero",
	note: "The user \"user\" owns all files. Names are sorted by bytes and printed one on each line, without colours. All times are the time of the last change.",
	run:  runLs,
}

// lister is one run of ls.
type lister struct {
	p         *process
	o         options
	now       time.Time
	long      bool
	all       string // the given option, "A" or "a"; "" if neither is given
	ignore    []string
	printed   bool // output was printed, so a blank line must precede the next list
	timeStyle string
	headers   bool
}

// listed is a file that ls shows.
type listed struct {
	name string
	path string
	info fs.FileInfo
}

func runLs(p *process, o options, names []string) int {
	times := o.value("time", "mtime")
	switch color := o.value("color", "never"); {
	case o.has("color") && color != "never" && color != "no" && color != "none" && color != "auto" && color != "tty" && color != "if-tty":
		p.errorf("--color=always is not supported; use --color=never")
		return 2
	case !slices.Contains([]string{"mtime", "modification", "atime", "access", "use", "ctime", "status"}, times):
		p.errorf("--time=%s is not supported: files keep only the time of their last change", times)
		return 2
	}
	l := &lister{
		p: p, o: o, now: p.in(time.Now()), all: o.last("a", "A", "f"),
		long:   o.has("l") || o.has("n") || o.has("g") || o.has("o") || o.has("full-time"),
		ignore: o.values("I"), timeStyle: o.value("time-style", ""),
	}
	if o.has("full-time") {
		l.timeStyle = "full-iso"
	}
	if l.all == "f" {
		l.all = "a"
	}
	if len(names) == 0 {
		names = []string{"."}
	}
	var files, directories []listed
	for _, name := range names {
		file := p.path(name)
		info, err := os.Lstat(file)
		if err == nil && (info.Mode()&fs.ModeSymlink != 0 && (o.has("L") || o.has("H") || !l.long && !o.has("d")) || strings.HasSuffix(name, "/")) {
			info, err = os.Stat(file)
		}
		if err == nil && strings.HasSuffix(name, "/") && !info.IsDir() {
			err = syscall.ENOTDIR
		}
		if err != nil {
			p.errorf("cannot access '%s': %s", name, message(err))
			p.status = 2
			continue
		}
		if info.IsDir() && !o.has("d") {
			directories = append(directories, listed{name, file, info})
		} else {
			files = append(files, listed{name, file, info})
		}
	}
	l.sort(files)
	l.sort(directories)
	if l.show(files); len(files) > 0 {
		l.printed = true
	}
	l.headers = len(names) > 1 || o.has("R")
	for _, directory := range directories {
		l.directory(directory, 0)
	}
	return p.status
}

func (l *lister) directory(f listed, depth int) {
	if l.p.stopped() {
		return
	}
	entries, err := os.ReadDir(f.path)
	if err != nil {
		l.p.errorf("cannot open directory '%s': %s", f.name, message(err))
		if l.p.status = max(l.p.status, 1); depth == 0 {
			l.p.status = 2
		}
		return
	}
	if l.headers {
		if l.printed {
			l.p.print("\n")
		}
		l.p.print(f.name + ":\n")
	}
	l.printed = true
	var files []listed
	if l.all == "a" {
		files = l.special(f.path)
	}
	for _, entry := range entries {
		if !l.shows(entry.Name()) {
			continue
		}
		info, err := entry.Info()
		if err == nil && info.Mode()&fs.ModeSymlink != 0 && l.o.has("L") {
			info, err = os.Stat(f.path + "/" + entry.Name())
		}
		if err != nil {
			l.p.errorf("cannot access '%s': %s", join(f.name, entry.Name()), message(err))
			continue
		}
		files = append(files, listed{entry.Name(), f.path + "/" + entry.Name(), info})
	}
	l.sort(files)
	if l.long || l.o.has("s") {
		total := int64(0)
		for _, file := range files {
			total += blocks(file.info)
		}
		if l.o.has("h") {
			l.p.printf("total %s\n", humanSize(total*1024))
		} else {
			l.p.printf("total %d\n", total)
		}
	}
	l.show(files)
	if !l.o.has("R") || depth >= maxDepth {
		return
	}
	for _, file := range files {
		if file.info.IsDir() && file.name != "." && file.name != ".." {
			l.directory(listed{join(f.name, file.name), file.path, file.info}, depth+1)
		}
	}
}

// special returns the entries . and .. of a directory.
func (l *lister) special(dir string) []listed {
	var files []listed
	for _, s := range []listed{{name: ".", path: dir}, {name: "..", path: parentOf(dir)}} {
		info, err := os.Stat(s.path)
		if err != nil { // the parent of the workspace is not visible
			if info, err = os.Stat(dir); err != nil {
				continue
			}
		}
		s.info = info
		files = append(files, s)
	}
	return files
}

func (l *lister) shows(name string) bool {
	if l.all == "" && name[0] == '.' || l.o.has("B") && strings.HasSuffix(name, "~") {
		return false
	}
	return !slices.ContainsFunc(l.ignore, func(glob string) bool { return compileGlob(glob, false).MatchString(name) })
}

// blocks returns the space that a file uses in KiB, a multiple of 4.
func blocks(info fs.FileInfo) int64 {
	if info.IsDir() {
		return 4
	}
	if !info.Mode().IsRegular() {
		return 0
	}
	return (info.Size() + 4095) / 4096 * 4
}

func (l *lister) sort(files []listed) {
	byName := func(a, b listed) int { return strings.Compare(a.name, b.name) }
	compare := byName
	order := l.o.last("t", "S", "v", "X", "U", "f")
	if order == "" && !l.long && (l.o.has("c") || l.o.has("u") || l.o.has("time")) {
		order = "t" // these choose the time; without -l they also sort by it
	}
	order = l.o.value("sort", order)
	switch order {
	case "t", "time":
		compare = func(a, b listed) int { return cmp.Or(b.info.ModTime().Compare(a.info.ModTime()), byName(a, b)) }
	case "S", "size":
		compare = func(a, b listed) int { return cmp.Or(cmp.Compare(b.info.Size(), a.info.Size()), byName(a, b)) }
	case "v", "version":
		compare = func(a, b listed) int { return compareVersions(a.name, b.name) }
	case "X", "extension":
		compare = func(a, b listed) int {
			return cmp.Or(strings.Compare(extension(a.name), extension(b.name)), byName(a, b))
		}
	case "U", "f", "none":
		return
	}
	slices.SortStableFunc(files, func(a, b listed) int {
		if l.o.has("group-directories-first") && a.info.IsDir() != b.info.IsDir() {
			if a.info.IsDir() {
				return -1
			}
			return 1
		}
		if l.o.has("r") {
			return compare(b, a)
		}
		return compare(a, b)
	})
}

func extension(name string) string {
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		return name[dot:]
	}
	return ""
}

func (l *lister) show(files []listed) {
	if l.o.last("m", "1") == "m" && len(files) > 0 {
		names := make([]string, len(files))
		for i, file := range files {
			names[i] = l.named(file)
		}
		l.p.print(strings.Join(names, ", ") + "\n")
		return
	}
	width := 0
	for _, file := range files {
		width = max(width, len(l.size(file.info)))
	}
	end := "\n"
	if l.o.has("zero") {
		end = "\x00"
	}
	for _, file := range files {
		if l.o.has("s") {
			l.p.printf("%*d ", l.blockWidth(files), blocks(file.info))
		}
		if l.long {
			l.p.print(l.details(file, width))
		}
		l.p.print(l.named(file) + end)
	}
}

func (l *lister) blockWidth(files []listed) int {
	width := 0
	for _, file := range files {
		width = max(width, len(strconv.FormatInt(blocks(file.info), 10)))
	}
	return width
}

func (l *lister) size(info fs.FileInfo) string {
	size := info.Size()
	if info.IsDir() {
		size = 4096
	}
	if l.o.has("h") {
		return humanSize(size)
	}
	return strconv.FormatInt(size, 10)
}

// details formats the columns of -l.
func (l *lister) details(file listed, width int) string {
	owner, group := userName, userName
	if l.o.has("n") {
		owner, group = userID, userID
	}
	text := modeText(file.info.Mode()) + " 1"
	if !l.o.has("g") {
		text += " " + owner
	}
	if !l.o.has("o") && !l.o.has("G") {
		text += " " + group
	}
	size := l.size(file.info)
	return text + " " + strings.Repeat(" ", width-len(size)) + size + " " + l.time(file.info.ModTime()) + " "
}

func (l *lister) time(at time.Time) string {
	at = l.p.in(at)
	switch {
	case l.timeStyle == "full-iso":
		return strftime("%F %T.%N %z", at)
	case l.timeStyle == "long-iso":
		return strftime("%F %R", at)
	case strings.HasPrefix(l.timeStyle, "+"):
		return strftime(l.timeStyle[1:], at)
	}
	return listTime(at, l.now)
}

// listTime formats a time as ls -l does: with the time of day for the last half year, otherwise
// with the year.
func listTime(at, now time.Time) string {
	at = at.In(now.Location())
	const halfYear = 31556952 / 2 * time.Second
	if at.After(now) || now.Sub(at) >= halfYear {
		return strftime("%b %e  %Y", at)
	}
	return strftime("%b %e %H:%M", at)
}

// named returns the name with the suffix that -F adds and the quotes that -Q adds.
func (l *lister) named(file listed) string {
	name := file.name
	if l.o.last("Q", "N") == "Q" {
		name = strconv.Quote(name)
	}
	mode := file.info.Mode()
	if l.long && mode&fs.ModeSymlink != 0 {
		if target, err := os.Readlink(file.path); err == nil {
			return name + " -> " + target
		}
	}
	switch l.o.last("F", "classify", "p") {
	case "classify":
		if when := l.o.value("classify", ""); when != "" && when != "always" && when != "yes" && when != "force" {
			break // stdout is not a terminal
		}
		fallthrough
	case "F":
		return name + classified(mode)
	case "p":
		if mode.IsDir() {
			return name + "/"
		}
	}
	return name
}

func classified(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "/"
	case mode&fs.ModeSymlink != 0:
		return "@"
	case mode.IsRegular() && mode&0o111 != 0:
		return "*"
	}
	return ""
}
