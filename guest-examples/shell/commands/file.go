package commands

import (
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"
)

var file = spec{name: "file", synopsis: "[-b] [-i] FILE...", options: "b,brief i,mime mime-type L,dereference", note: "The command recognises the file types that a web browser distinguishes.", run: runFile}

func runFile(p *process, o options, names []string) int {
	if len(names) == 0 {
		return p.fail("missing operand")
	}
	for _, name := range names {
		if !o.has("b") {
			p.print(name + ": ")
		}
		p.print(p.kindOf(name, o.has("i") || o.has("mime-type"), o.has("L")) + "\n")
	}
	return p.status
}

// kindOf determines the type of a file from its first bytes.
func (p *process) kindOf(name string, mime, follow bool) string {
	stat := os.Lstat
	if follow {
		stat = os.Stat
	}
	info, err := stat(p.path(name))
	switch {
	case err != nil:
		return "cannot open `" + name + "' (" + message(err) + ")"
	case info.Mode()&fs.ModeSymlink != 0 && mime:
		return "inode/symlink"
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(p.path(name))
		if _, broken := os.Stat(p.path(name)); firstError(err, broken) != nil {
			return "broken symbolic link to " + target
		}
		return "symbolic link to " + target
	case info.IsDir() && mime:
		return "inode/directory"
	case info.IsDir():
		return "directory"
	case info.Size() == 0 && mime:
		return "inode/x-empty"
	case info.Size() == 0:
		return "empty"
	}
	r, err := p.open(name)
	if err != nil {
		return "cannot open `" + name + "' (" + message(err) + ")"
	}
	defer r.Close()
	head := make([]byte, 4096)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return "cannot read: " + message(err)
	}
	head = head[:n]
	kind := http.DetectContentType(head)
	if mime || !strings.HasPrefix(kind, "text/plain") {
		return kind
	}
	switch {
	case isASCII(head):
		return "ASCII text"
	case utf8.Valid(head[:max(n-utf8.UTFMax, 0)]): // the last character of head may be cut off
		return "Unicode text, UTF-8 text"
	}
	return "data"
}

func isASCII(text []byte) bool {
	for _, b := range text {
		if b >= 0x80 {
			return false
		}
	}
	return true
}
