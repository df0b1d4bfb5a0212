package commands

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
)

// The name and the ID of the only user, who owns all files.
const (
	userName = "user"
	userID   = "1000"
)

// unixMode converts a file mode to the Unix mode bits that chmod uses.
func unixMode(mode fs.FileMode) uint32 {
	bits := uint32(mode.Perm())
	for _, b := range specialBits() {
		if mode&b.flag != 0 {
			bits |= b.bit
		}
	}
	return bits
}

// goMode converts Unix mode bits to a file mode, as the inverse of unixMode.
func goMode(bits uint32) fs.FileMode {
	mode := fs.FileMode(bits) & fs.ModePerm
	for _, b := range specialBits() {
		if bits&b.bit != 0 {
			mode |= b.flag
		}
	}
	return mode
}

type specialBit struct {
	flag fs.FileMode
	bit  uint32
}

func specialBits() [3]specialBit {
	return [3]specialBit{{fs.ModeSetuid, 0o4000}, {fs.ModeSetgid, 0o2000}, {fs.ModeSticky, 0o1000}}
}

// modeText formats a mode as ls -l does.
func modeText(mode fs.FileMode) string {
	text := []byte(map[string]string{"f": "-"}[fileType(mode)] + "rwxrwxrwx")
	if len(text) == 9 {
		text = append([]byte(fileType(mode)), text...)
	}
	for i := range 9 {
		if mode&(1<<(8-i)) == 0 {
			text[1+i] = '-'
		}
	}
	for _, s := range []struct {
		flag fs.FileMode
		at   int
		mark byte
	}{{fs.ModeSetuid, 3, 's'}, {fs.ModeSetgid, 6, 's'}, {fs.ModeSticky, 9, 't'}} {
		if mode&s.flag == 0 {
			continue
		}
		if text[s.at] == '-' {
			text[s.at] = s.mark - 'a' + 'A'
		} else {
			text[s.at] = s.mark
		}
	}
	return string(text)
}

var errMode = errors.New("not a mode; examples are 644, +x and u+w,go-r")

// parseMode parses a mode such as 755 or u+x,g-w and returns a function that applies the mode.
func parseMode(text string) (func(old fs.FileMode, directory bool) fs.FileMode, error) {
	if bits, err := strconv.ParseUint(text, 8, 12); err == nil {
		return func(fs.FileMode, bool) fs.FileMode { return goMode(uint32(bits)) }, nil
	}
	var clauses []modeClause
	for part := range strings.SplitSeq(text, ",") {
		more, ok := parseClause(part)
		if !ok {
			return nil, errMode
		}
		clauses = append(clauses, more...)
	}
	return func(old fs.FileMode, directory bool) fs.FileMode {
		bits := unixMode(old)
		for _, c := range clauses {
			bits = c.apply(bits, directory)
		}
		return goMode(bits)
	}, nil
}

// modeClause is one clause of a symbolic mode, such as u+x.
type modeClause struct {
	who      uint32 // 0o7 for others, 0o70 for the group, 0o700 for the owner
	operator byte
	letters  string
}

func parseClause(text string) ([]modeClause, bool) {
	at := strings.IndexAny(text, "+-=")
	if at < 0 {
		return nil, false
	}
	who := uint32(0)
	for _, c := range text[:at] {
		bits, ok := map[rune]uint32{'u': 0o4700, 'g': 0o2070, 'o': 0o1007, 'a': 0o7777}[c]
		if !ok {
			return nil, false
		}
		who |= bits
	}
	if who == 0 {
		who = 0o7777
	}
	var clauses []modeClause
	for text = text[at:]; text != ""; {
		c := modeClause{who: who, operator: text[0]}
		end := strings.IndexAny(text[1:], "+-=")
		if end < 0 {
			end = len(text) - 1
		}
		c.letters, text = text[1:1+end], text[1+end:]
		if strings.Trim(c.letters, "rwxXstugo") != "" {
			return nil, false
		}
		clauses = append(clauses, c)
	}
	return clauses, true
}

func (c modeClause) apply(bits uint32, directory bool) uint32 {
	var set uint32
	for _, letter := range c.letters {
		switch letter {
		case 'r':
			set |= 0o444
		case 'w':
			set |= 0o222
		case 'x':
			set |= 0o111
		case 'X':
			if directory || bits&0o111 != 0 {
				set |= 0o111
			}
		case 's':
			set |= 0o6000
		case 't':
			set |= 0o1000
		case 'u':
			set |= bits >> 6 & 7 * 0o111
		case 'g':
			set |= bits >> 3 & 7 * 0o111
		case 'o':
			set |= bits & 7 * 0o111
		}
	}
	set &= c.who
	switch c.operator {
	case '+':
		return bits | set
	case '-':
		return bits &^ set
	}
	return bits&^(c.who&0o777) | set
}
