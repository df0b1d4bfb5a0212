package commands

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

var truncate = spec{
	name: "truncate", synopsis: "[-c] -s [+-<>/%]SIZE | -r FILE FILE...",
	options: "c,no-create o,io-blocks r,reference: s,size:",
	note:    "SIZE may begin with + or - (change by), < (at most), > (at least), / or % (round down or up to a multiple).",
	run:     runTruncate,
}

func runTruncate(p *process, o options, names []string) int {
	text := o.value("s", "")
	switch {
	case o.has("o"):
		return p.fail("-o is not supported: files have no blocks; give the size in bytes")
	case !o.has("s") && !o.has("r"):
		return p.fail("you must specify either '--size' or '--reference'")
	case len(names) == 0:
		return p.fail("missing file operand")
	}
	relation := byte(0)
	if text != "" && strings.IndexByte("+-<>/%", text[0]) >= 0 {
		relation, text = text[0], text[1:]
	}
	size, ok := int64(0), true
	if o.has("s") {
		if size, ok = parseCount(text); !ok {
			return p.fail("Invalid number: '%s'", o.value("s", ""))
		}
		if size == 0 && (relation == '/' || relation == '%') {
			return p.fail("division by zero")
		}
	}
	base := int64(-1)
	if o.has("r") {
		if o.has("s") && relation == 0 {
			return p.fail("you must specify a relative '--size' with '--reference'")
		}
		info, err := os.Stat(p.path(o.value("r", "")))
		if err != nil {
			return p.fail("cannot stat '%s': %s", o.value("r", ""), message(err))
		}
		base = info.Size()
		if !o.has("s") {
			relation = '+'
		}
	}
	for _, name := range names {
		if err := truncateFile(p.path(name), o.has("c"), base, relation, size); err != nil {
			p.errorf("cannot open '%s' for writing: %s", name, message(err))
		}
	}
	return p.status
}

// maxTruncated limits the size of a file.
const maxTruncated = 1 << 40

// truncateFile sets the size of a file in relation to base, or to its present size if base is
// negative. It creates the file unless existing is set.
func truncateFile(name string, existing bool, base int64, relation byte, size int64) error {
	flags := os.O_WRONLY | os.O_CREATE
	if existing {
		flags = os.O_WRONLY
	}
	f, err := os.OpenFile(name, flags, 0o666)
	if errors.Is(err, fs.ErrNotExist) && existing {
		return nil
	}
	if err != nil {
		return err
	}
	if base < 0 {
		info, err := f.Stat()
		if err != nil {
			return firstError(err, f.Close())
		}
		base = info.Size()
	}
	wanted := relatedSize(base, relation, size)
	if wanted > maxTruncated {
		return firstError(f.Close(), errors.New("the limit of a file is 1 TiB"))
	}
	return firstError(f.Truncate(wanted), f.Close())
}

func relatedSize(base int64, relation byte, size int64) int64 {
	switch relation {
	case '+':
		return min(base, maxTruncated) + min(size, maxTruncated)
	case '-':
		return max(base-size, 0)
	case '<':
		return min(base, size)
	case '>':
		return max(base, size)
	case '/':
		return base / size * size
	case '%':
		return (base/size + min(base%size, 1)) * size
	}
	return size
}
