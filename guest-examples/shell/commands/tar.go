package commands

import (
	"archive/tar"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const tarOptions = "= c,create x,extract,get t,list f,file: z,gzip,gunzip,ungzip a,auto-compress j,bzip2 J,xz v,verbose C,directory: O,to-stdout k,keep-old-files " +
	"strip-components: exclude: X,exclude-from: T,files-from: null p,preserve-permissions,same-permissions m,touch no-same-owner same-owner no-same-permissions " +
	"P,absolute-names h,dereference sort: owner: group: mode: mtime: numeric-owner full-time overwrite wildcards no-wildcards I,use-compress-program: " +
	"r,append u,update d,diff,compare"

var tarSpec = spec{
	name: "tar", synopsis: "-c|-x|-t [-zv] [-f ARCHIVE] [-C DIR] [FILE]...", usage: 2,
	options: tarOptions,
	note: "Files are only written below the target directory, also with -P, and links are not created. At most 512 MiB and 100000 files are unpacked.\n" +
		"bzip2 can only be read; xz is not supported. Files keep no owner, so -p, --same-owner and their opposites have no effect.",
	run: runTar,
}

// archiver is one run of tar.
type archiver struct {
	p          *process
	o          options
	names      []tarName
	strip      int
	exclude    []*regexp.Regexp
	verbose    int
	attributes tarAttributes
	warned     bool // about absolute names
	// nameWidth is the width of the owner, the group and the size in a list.
	nameWidth int
}

// tarName is a file name on the command line, with the directory of the last -C before it.
type tarName struct{ dir, name string }

// tarAttributes are the attributes that options give to all files of a new archive.
type tarAttributes struct {
	owner, group     string
	ownerID, groupID int
	mode             func(mode fs.FileMode, directory bool) fs.FileMode // nil keeps the mode
	modified         time.Time                                          // zero keeps the time
}

func runTar(p *process, o options, _ []string) int {
	// Accept the old form without a dash: tar xzf ARCHIVE.
	if words := p.env.Args[1:]; len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		var err error
		if o, _, err = parseOptions(tarOptions, oldForm(words)); err != nil {
			p.errorf("%v", err)
			return 2
		}
	}
	a := &archiver{p: p, o: o, nameWidth: 19}
	err := a.prepare()
	switch {
	case err != nil:
	case o.has("c"):
		err = a.create()
	default:
		err = a.read()
	}
	if err != nil && p.outErr == nil {
		p.errorf("%v", err)
		return 2
	}
	if p.status != 0 {
		p.errorf("Exiting with failure status due to previous errors")
		return 2
	}
	return 0
}

// prepare reads the options.
func (a *archiver) prepare() error {
	if err := a.checkOptions(); err != nil {
		return err
	}
	strip := a.o.value("strip-components", "0")
	var err error
	if a.strip, err = strconv.Atoi(strip); err != nil || a.strip < 0 {
		return fmt.Errorf("%s: Invalid number of elements", strip)
	}
	dir := "."
	for _, opt := range a.o {
		switch opt.name {
		case "v":
			a.verbose++
		case "exclude":
			a.addExclusion(opt.value)
		case "X":
			lines, err := a.fileNames(opt.value, "\n")
			if err != nil {
				return err
			}
			for _, line := range lines {
				a.addExclusion(line)
			}
		case "C":
			if dir = joinPath(dir, opt.value); !a.p.isDirectory(dir) {
				return fmt.Errorf("%s: Cannot open: No such file or directory", opt.value)
			}
		case "T":
			lines, err := a.fileNames(opt.value, map[bool]string{true: "\x00", false: "\n"}[a.o.has("null")])
			if err != nil {
				return err
			}
			for _, line := range lines {
				a.names = append(a.names, tarName{dir, line})
			}
		case operandOption:
			a.names = append(a.names, tarName{dir, opt.value})
		}
	}
	if !a.o.has("c") && len(a.names) == 0 {
		a.names = append(a.names, tarName{dir: dir}) // all files
	}
	return a.readAttributes()
}

// checkOptions refuses combinations that can't work.
func (a *archiver) checkOptions() error {
	o := a.o
	modes := 0
	for _, name := range []string{"c", "x", "t"} {
		if o.has(name) {
			modes++
		}
	}
	program := o.value("I", "gzip")
	switch {
	case o.has("r") || o.has("u") || o.has("d"):
		return errors.New("-r, -u and -d are not supported; use -c, -x or -t, with or without -z")
	case o.has("J") || o.has("j") && o.has("c") || program != "gzip" && program != "gunzip" && program != "gzip -9":
		return errors.New("only -z can compress, and only gzip and bzip2 archives can be read")
	case modes > 1:
		return customary("You may not specify more than one of the options -c, -x and -t")
	case modes == 0:
		return customary("You must specify one of the options -c, -x and -t")
	}
	if sort := o.value("sort", "name"); sort != "name" && sort != "none" && sort != "inode" {
		return fmt.Errorf("invalid argument '%s' for '--sort'; use name", sort)
	}
	return nil
}

func (a *archiver) addExclusion(glob string) {
	if glob != "" {
		a.exclude = append(a.exclude, compileGlob(strings.TrimSuffix(glob, "/"), false))
	}
}

// fileNames reads a file with names.
func (a *archiver) fileNames(file, end string) ([]string, error) {
	data, err := a.p.readFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: Cannot open: %s", file, message(err))
	}
	var names []string
	for name := range strings.SplitSeq(string(data), end) {
		if name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

// readAttributes reads --owner, --group, --mode and --mtime.
func (a *archiver) readAttributes() error {
	n := &a.attributes
	n.owner, n.ownerID = account(a.o.value("owner", userName+":"+userID))
	n.group, n.groupID = account(a.o.value("group", userName+":"+userID))
	if text := a.o.value("mode", ""); text != "" {
		change, err := parseMode(text)
		if err != nil {
			return fmt.Errorf("invalid mode '%s'", text)
		}
		n.mode = change
	}
	if text := a.o.value("mtime", ""); text != "" {
		var err error
		if n.modified, err = parseDate(text, a.p.in(time.Now())); err != nil {
			return fmt.Errorf("'%s' is %w", text, errDate)
		}
	}
	return nil
}

// account splits NAME:ID. A number alone is an ID without a name, and a name alone has the ID of
// the only user.
func account(text string) (name string, id int) {
	name, number, both := strings.Cut(text, ":")
	if n, err := strconv.Atoi(strings.TrimPrefix(text, "+")); err == nil && n >= 0 {
		return "", n
	}
	id, _ = strconv.Atoi(userID)
	if n, err := strconv.Atoi(number); both && err == nil && n >= 0 {
		id = n
	} else if name == "root" {
		id = 0
	}
	return name, id
}

// joinPath returns the name below a directory, or the name itself if it is absolute.
func joinPath(dir, name string) string {
	if dir == "." || dir == "" || strings.HasPrefix(name, "/") {
		return name
	}
	return join(dir, name)
}

// oldForm rewrites xzf ARCHIVE as -xz -f ARCHIVE. The values follow in the order of the letters
// that need a value.
func oldForm(words []string) []string {
	letters, rest := words[0], words[1:]
	var out []string
	for _, letter := range letters {
		out = append(out, "-"+string(letter))
		if strings.ContainsRune("fCTXI", letter) && len(rest) > 0 {
			out, rest = append(out, rest[0]), rest[1:]
		}
	}
	return append(out, rest...)
}

func (a *archiver) archiveName() string { return a.o.value("f", "-") }

// excluded reports whether an --exclude pattern matches the name or a part of it.
func (a *archiver) excluded(name string) bool {
	for _, glob := range a.exclude {
		for rest := strings.TrimSuffix(name, "/"); ; {
			if glob.MatchString(rest) {
				return true
			}
			_, after, more := strings.Cut(rest, "/")
			if !more {
				break
			}
			rest = after
		}
	}
	return false
}

// report prints the name of a file with -v, and a long line with -vv. The line goes to stderr if
// stdout gets an archive or a file.
func (a *archiver) report(header *tar.Header) {
	if a.verbose == 0 {
		return
	}
	line := header.Name
	if a.verbose > 1 {
		line = a.long(header)
	}
	if a.archiveName() == "-" && a.o.has("c") || a.o.has("O") {
		a.p.flush()
		fmt.Fprintln(a.p.env.Stderr, line)
		return
	}
	a.p.print(line + "\n")
}

// long returns the line of a file in a long list. The columns get wider as needed.
func (a *archiver) long(header *tar.Header) string {
	owner, group := header.Uname, header.Gname
	if owner == "" || a.o.has("numeric-owner") {
		owner = strconv.Itoa(header.Uid)
	}
	if group == "" || a.o.has("numeric-owner") {
		group = strconv.Itoa(header.Gid)
	}
	size := strconv.FormatInt(header.Size, 10)
	a.nameWidth = max(a.nameWidth, len(owner)+len(group)+len(size)+2)
	mode := modeText(header.FileInfo().Mode())
	link := ""
	switch header.Typeflag {
	case tar.TypeSymlink:
		link = " -> " + header.Linkname
	case tar.TypeLink:
		mode, link = "h"+mode[1:], " link to "+header.Linkname
	}
	format := "%Y-%m-%d %H:%M"
	if a.o.has("full-time") {
		format += ":%S"
	}
	stamp := strftime(format, a.p.in(header.ModTime))
	return fmt.Sprintf("%s %s/%s %*s %s %s%s", mode, owner, group, a.nameWidth-len(owner)-len(group)-2, size, stamp, header.Name, link)
}
