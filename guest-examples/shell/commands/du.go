package commands

import (
	"io/fs"
	"os"
	"strconv"
	"strings"
)

var du = spec{
	name: "du", synopsis: "[-abchsk] [-d DEPTH] [FILE]...",
	options: "a,all b,bytes c,total h,human-readable s,summarize k m d,max-depth: apparent-size L,dereference H,D,dereference-args P,no-dereference S,separate-dirs 0,null exclude: B,block-size:",
	note:    "The size of a file is its length rounded up to blocks of 4 KiB. A directory adds 4 KiB.",
	run:     runDu,
}

// usage is one run of du.
type usage struct {
	p     *process
	o     options
	depth int
	block int64  // the unit of the sizes; 0 if other options choose the unit
	unit  string // printed after a size
}

func runDu(p *process, o options, names []string) int {
	u := &usage{p: p, o: o, depth: maxDepth}
	if text := o.value("B", ""); o.has("B") {
		var ok bool
		if u.block, ok = blockSize(text); !ok {
			return p.fail("invalid -B argument '%s'", text)
		}
		if !isDigit(text[0]) { // a unit alone is printed
			u.unit = text
		}
	}
	if o.has("s") {
		u.depth = 0
	}
	if o.has("d") {
		n, err := strconv.Atoi(o.value("d", ""))
		if err != nil || n < 0 {
			return p.fail("invalid maximum depth '%s'", o.value("d", ""))
		}
		u.depth = n
	}
	if len(names) == 0 {
		names = []string{"."}
	}
	total := int64(0)
	for _, name := range names {
		info, err := o.follows().info(p.path(name), 0)
		if err != nil {
			p.errorf("cannot access '%s': %s", name, message(err))
			continue
		}
		total += u.measure(found{name, p.path(name), 0, info}, nil)
	}
	if o.has("c") {
		u.print(total, "total")
	}
	return p.status
}

// measure prints the sizes of the subdirectories and then of the directory f. It returns the size
// of f, which is 0 for a link to one of the directories above it.
func (u *usage) measure(f found, above []string) int64 {
	size := u.size(f.info)
	if u.p.stopped() {
		return size
	}
	if f.info.IsDir() {
		var looped bool
		if above, looped = entered(above, f.path); looped {
			return 0
		}
		size += u.directory(f, above)
	}
	if f.depth <= u.depth && (f.info.IsDir() || u.o.has("a") || f.depth == 0) {
		u.print(size, f.name)
	}
	return size
}

func (u *usage) directory(f found, above []string) int64 {
	size := int64(0)
	if f.depth >= maxDepth {
		return size
	}
	entries, err := os.ReadDir(f.path)
	if err != nil {
		u.p.errorf("cannot read directory '%s': %s", f.name, message(err))
	}
	for _, entry := range entries {
		info, err := u.o.follows().info(f.path+"/"+entry.Name(), f.depth+1)
		if err != nil || u.excluded(entry.Name()) {
			continue
		}
		inner := u.measure(found{join(f.name, entry.Name()), f.path + "/" + entry.Name(), f.depth + 1, info}, above)
		if !info.IsDir() || !u.o.has("S") {
			size += inner
		}
	}
	return size
}

func (u *usage) excluded(name string) bool {
	for _, glob := range u.o.values("exclude") {
		if compileGlob(glob, false).MatchString(name) {
			return true
		}
	}
	return false
}

func (u *usage) size(info fs.FileInfo) int64 {
	if u.o.has("b") || u.o.has("apparent-size") {
		if info.IsDir() {
			return 4096
		}
		return info.Size()
	}
	return blocks(info) * 1024
}

func (u *usage) print(size int64, name string) {
	text := ""
	switch u.o.last("h", "b", "m", "k", "B") {
	case "B":
		text = strconv.FormatInt((size+u.block-1)/u.block, 10) + u.unit
	case "h":
		text = humanSize(size)
	case "b":
		text = strconv.FormatInt(size, 10)
	case "m":
		text = strconv.FormatInt((size+1<<20-1)>>20, 10)
	default:
		text = strconv.FormatInt((size+1023)/1024, 10)
	}
	u.p.print(text + "\t" + strings.TrimSuffix(name, "\x00"))
	u.p.write([]byte{lineEnd(u.o, "0")})
}

// blockSize parses the size of a block, in which a unit alone means one of that unit.
func blockSize(text string) (int64, bool) {
	if text != "" && !isDigit(text[0]) {
		text = "1" + text
	}
	size, ok := parseCount(text)
	return size, ok && size > 0
}
