package commands

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/shell/printf"
)

var stat = spec{
	name: "stat", synopsis: "[-L] [-c FORMAT | --printf FORMAT] FILE...",
	options: "c,format: printf: L,dereference f,file-system",
	note:    "The sequences of a format are %n %N %s %b %B %a %A %f %F %h %i %u %g %U %G %y %Y %x %X %z %Z %w %W. All times are the time of the last change.",
	run:     runStat,
}

func runStat(p *process, o options, names []string) int {
	if len(names) == 0 {
		return p.fail("missing operand")
	}
	if o.has("f") {
		return p.fail("-f is not supported: no file systems are visible")
	}
	format := "  File: %n\n  Size: %-10s\tBlocks: %-10b %F\nAccess: (%a/%A)  Uid: (%u/%U)   Gid: (%g/%G)\nModify: %y"
	end := "\n"
	switch o.last("c", "printf") {
	case "c":
		format = o.value("c", "")
	case "printf":
		format, _ = printf.Unescape(o.value("printf", ""), false)
		end = ""
	}
	for _, name := range names {
		look := os.Lstat
		if o.has("L") {
			look = os.Stat
		}
		info, err := look(p.path(name))
		if err != nil {
			p.errorf("cannot stat '%s': %s", name, message(err))
			continue
		}
		p.print(p.statText(format, name, info) + end)
	}
	return p.status
}

func (p *process) statText(format, name string, info fs.FileInfo) string {
	var out strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			out.WriteByte(format[i])
			continue
		}
		start := i
		for i++; i < len(format)-1 && strings.IndexByte("-+ #0123456789.", format[i]) >= 0; i++ {
			// Skip flags and width.
		}
		text, ok := p.statField(format[i], name, info)
		if !ok {
			out.WriteString("?")
			continue
		}
		if flags := format[start+1 : i]; flags != "" && len(flags) < 8 {
			text = fmt.Sprintf("%"+strings.TrimLeft(flags, "+#0")+"s", text)
		}
		out.WriteString(text)
	}
	return out.String()
}

func (p *process) statField(letter byte, name string, info fs.FileInfo) (string, bool) {
	seconds := strconv.FormatInt(info.ModTime().Unix(), 10)
	switch letter {
	case '%':
		return "%", true
	case 'n':
		return name, true
	case 'N':
		return "'" + name + "'", true
	case 's':
		if info.IsDir() {
			return "4096", true
		}
		return strconv.FormatInt(info.Size(), 10), true
	case 'b':
		return strconv.FormatInt(blocks(info)*2, 10), true
	case 'B':
		return "512", true
	case 'a':
		return strconv.FormatUint(uint64(unixMode(info.Mode())), 8), true
	case 'A':
		return modeText(info.Mode()), true
	case 'f':
		return strconv.FormatUint(uint64(unixMode(info.Mode())|kindBits(info.Mode())), 16), true
	case 'F':
		return kindText(info), true
	case 'h':
		return "1", true
	case 'i':
		return "0", true
	case 'u', 'g':
		return userID, true
	case 'U', 'G':
		return userName, true
	case 'w':
		return "-", true
	case 'W':
		return "0", true
	case 'x', 'y', 'z':
		return strftime("%F %T.%N %z", p.in(info.ModTime())), true
	case 'X', 'Y', 'Z':
		return seconds, true
	}
	return "", false
}

// kindBits returns the bits in a Unix mode that indicate the file type.
func kindBits(mode fs.FileMode) uint32 {
	return map[string]uint32{"f": 0o100000, "d": 0o040000, "l": 0o120000}[fileType(mode)]
}

func kindText(info fs.FileInfo) string {
	switch fileType(info.Mode()) {
	case "f":
		if info.Size() == 0 {
			return "regular empty file"
		}
		return "regular file"
	case "d":
		return "directory"
	case "l":
		return "symbolic link"
	}
	return "special file"
}
