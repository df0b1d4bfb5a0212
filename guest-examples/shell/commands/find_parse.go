package commands

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// findParser parses an expression of find.
type findParser struct {
	*finder
	words  []string
	acts   bool // the expression contains an action, so -print is not implied
	nested int
}

// maxNesting limits the nesting of parentheses.
const maxNesting = 100

func (s *findParser) parse() (findNode, error) {
	if len(s.words) == 0 {
		return s.print("\n"), nil
	}
	root, err := s.list()
	switch {
	case err != nil:
		return nil, err
	case len(s.words) > 0 && s.words[0] == ")":
		return nil, errors.New("invalid expression; you have too many ')'")
	case len(s.words) > 0:
		return nil, fmt.Errorf("paths must precede expression: `%s'", s.words[0])
	case s.acts:
		return root, nil
	}
	show := s.print("\n")
	return func(f found) bool { return root(f) && show(f) }, nil
}

func (s *findParser) print(end string) findNode {
	return func(f found) bool {
		s.p.print(f.name)
		s.p.print(end)
		return true
	}
}

func (s *findParser) peek(words ...string) bool {
	return len(s.words) > 0 && slices.Contains(words, s.words[0])
}

func (s *findParser) take() string {
	word := s.words[0]
	s.words = s.words[1:]
	return word
}

func (s *findParser) list() (findNode, error) {
	left, err := s.either()
	for err == nil && s.peek(",") {
		s.take()
		var right findNode
		before := left
		right, err = s.either()
		left = func(f found) bool { before(f); return right(f) }
	}
	return left, err
}

func (s *findParser) either() (findNode, error) {
	left, err := s.both()
	for err == nil && s.peek("-o", "-or") {
		s.take()
		var right findNode
		before := left
		right, err = s.both()
		left = func(f found) bool { return before(f) || right(f) }
	}
	return left, err
}

func (s *findParser) both() (findNode, error) {
	left, err := s.not()
	for err == nil && len(s.words) > 0 && !s.peek("-o", "-or", ",", ")") {
		if s.peek("-a", "-and") {
			s.take()
		}
		var right findNode
		before := left
		right, err = s.not()
		left = func(f found) bool { return before(f) && right(f) }
	}
	return left, err
}

func (s *findParser) not() (findNode, error) {
	if s.nested++; s.nested > maxNesting {
		return nil, fmt.Errorf("the expression has more than %d nested parentheses", maxNesting)
	}
	defer func() { s.nested-- }()
	if len(s.words) == 0 {
		return nil, errors.New("invalid expression; the last operator or option has no operand")
	}
	switch word := s.take(); word {
	case "!", "-not":
		inner, err := s.not()
		return func(f found) bool { return !inner(f) }, err
	case "(":
		inner, err := s.list()
		if err != nil {
			return nil, err
		}
		if !s.peek(")") {
			return nil, errors.New("invalid expression; expected to find a ')' but didn't see one")
		}
		s.take()
		return inner, nil
	default:
		return s.primary(word)
	}
}

// argument returns the next word as the argument of the test that the parameter of names.
func (s *findParser) argument(of string) (string, error) {
	if len(s.words) == 0 {
		return "", fmt.Errorf("missing argument to `%s'", of)
	}
	return s.take(), nil
}

func always(value bool) findNode { return func(found) bool { return value } }

func (s *findParser) primary(word string) (findNode, error) {
	switch word {
	case "-true", "-noleaf", "-xdev", "-mount":
		return always(true), nil
	case "-follow":
		s.rules.follow = allLinks
		return always(true), nil
	case "-false":
		return always(false), nil
	case "-depth", "-d":
		s.rules.after = true
		return always(true), nil
	case "-empty":
		return isEmpty, nil
	case "-readable", "-writable":
		return always(true), nil
	case "-executable":
		return func(f found) bool { return f.info.IsDir() || f.info.Mode()&0o111 != 0 }, nil
	case "-prune":
		return func(found) bool { s.pruned = true; return true }, nil
	}
	s.acts = s.acts || slices.Contains([]string{"-print", "-print0", "-printf", "-ls", "-delete", "-quit", "-exec", "-execdir"}, word)
	switch word {
	case "-print":
		return s.print("\n"), nil
	case "-print0":
		return s.print("\x00"), nil
	case "-ls":
		return s.finder.list, nil
	case "-delete":
		s.rules.after = true
		return s.delete, nil
	case "-quit":
		return func(found) bool { s.quit = true; return true }, nil
	case "-exec", "-execdir":
		return s.exec(word)
	case "-atime", "-amin", "-ctime", "-cmin":
		return nil, fmt.Errorf("%s is not supported: files keep only the time of their last change; use -mtime or -mmin", word)
	case "-ok", "-okdir":
		return nil, fmt.Errorf("%s is not supported: there is no terminal; use -exec", word)
	}
	if !slices.Contains([]string{
		"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-lname", "-regex", "-iregex", "-type", "-xtype", "-size", "-mtime",
		"-mmin", "-newer", "-newermt", "-perm", "-user", "-group", "-uid", "-gid",
		"-maxdepth", "-mindepth", "-regextype", "-printf",
	}, word) {
		if strings.HasPrefix(word, "-") {
			return nil, fmt.Errorf("unknown predicate `%s'; see find --help for the supported predicates", word)
		}
		return nil, fmt.Errorf("paths must precede expression: `%s'", word)
	}
	value, err := s.argument(word)
	if err != nil {
		return nil, err
	}
	return s.test(word, value)
}

func isEmpty(f found) bool {
	switch {
	case f.info.Mode().IsRegular():
		return f.info.Size() == 0
	case f.info.IsDir():
		entries, err := os.ReadDir(f.path)
		return err == nil && len(entries) == 0
	}
	return false
}

// test returns the function for a test that has an argument, such as -name.
func (s *findParser) test(word, value string) (findNode, error) {
	switch word {
	case "-name", "-iname":
		re := compileGlob(value, word == "-iname")
		return func(f found) bool { return re.MatchString(baseOf(f.name)) }, nil
	case "-path", "-ipath", "-wholename", "-iwholename":
		re := compileGlob(value, strings.HasPrefix(word, "-i"))
		return func(f found) bool { return re.Match([]byte(f.name)) }, nil
	case "-lname":
		re := compileGlob(value, false)
		return func(f found) bool {
			target, err := os.Readlink(f.path)
			return err == nil && re.MatchString(target)
		}, nil
	case "-regex", "-iregex":
		return s.regex(value, word == "-iregex")
	case "-regextype":
		if s.fileKind = basic; strings.Contains(value, "extended") || strings.Contains(value, "egrep") || strings.Contains(value, "awk") {
			s.fileKind = extended
		}
		return always(true), nil
	case "-type", "-xtype":
		for _, kind := range strings.Split(value, ",") {
			if len(kind) != 1 || !strings.Contains("fdlpsbc", kind) {
				return nil, customary("Unknown argument to %s: %s", word, value)
			}
		}
		return func(f found) bool {
			mode := f.info.Mode()
			if word == "-xtype" { // of the target, or with -L of the link
				other := map[bool]followed{true: noLinks, false: allLinks}[s.rules.follow == allLinks]
				if info, err := other.info(f.path, f.depth); err == nil {
					mode = info.Mode()
				}
			}
			return strings.Contains(value, fileType(mode))
		}, nil
	case "-maxdepth", "-mindepth":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return nil, customary("Expected a positive decimal integer argument to %s, but got '%s'", word, value)
		}
		if word == "-maxdepth" {
			s.maximum = min(n, maxDepth)
		} else {
			s.least = n
		}
		return always(true), nil
	case "-size":
		return sizeTest(value)
	case "-mtime":
		return s.ageTest(word, value, 24*time.Hour)
	case "-mmin":
		return s.ageTest(word, value, time.Minute)
	case "-newer":
		info, err := os.Stat(s.p.path(value))
		if err != nil {
			return nil, fmt.Errorf("'%s': %s", value, message(err))
		}
		return func(f found) bool { return f.info.ModTime().After(info.ModTime()) }, nil
	case "-newermt":
		at, err := parseDate(value, s.p.in(s.now))
		if err != nil {
			return nil, customary("I cannot figure out how to interpret '%s' as a date or time", value)
		}
		return func(f found) bool { return f.info.ModTime().After(at) }, nil
	case "-perm":
		return permTest(value)
	case "-printf":
		return s.finder.printf(value)
	}
	// The tests -user, -group, -uid and -gid: one user owns all files.
	return always(value == userName || value == userID), nil
}

func (s *findParser) regex(pattern string, fold bool) (findNode, error) {
	flags := ""
	if fold {
		flags = "i"
	}
	// find's default is the Emacs syntax, in which + and ? are operators without a backslash.
	if s.fileKind == basic {
		pattern = strings.NewReplacer(`\\`, `\\`, `\+`, `\+`, `\?`, `\?`, `+`, `\+`, `?`, `\?`).Replace(pattern)
	}
	open, end := `\(`, `\)`
	if s.fileKind == extended {
		open, end = "(", ")"
	}
	re, _, err := compilePattern("^"+open+pattern+end+"$", s.fileKind, flags)
	if err != nil {
		return nil, err
	}
	return func(f found) bool { return re.Match([]byte(f.name)) }, nil
}

// compared parses +N, -N or N. It returns N, the comparison that the sign selects, and the rest of
// value.
func compared(value string) (n int64, compare func(int64) bool, rest string, ok bool) {
	sign := byte(0)
	if value != "" && (value[0] == '+' || value[0] == '-') {
		sign, value = value[0], value[1:]
	}
	digits := countDigits([]byte(value))
	n, err := strconv.ParseInt(value[:digits], 10, 64)
	if err != nil {
		return 0, nil, "", false
	}
	return n, func(m int64) bool {
		switch sign {
		case '+':
			return m > n
		case '-':
			return m < n
		}
		return m == n
	}, value[digits:], true
}

func sizeTest(value string) (findNode, error) {
	_, compare, suffix, ok := compared(value)
	unit, known := map[string]int64{"": 512, "b": 512, "c": 1, "w": 2, "k": 1 << 10, "M": 1 << 20, "G": 1 << 30}[suffix]
	if !ok || !known {
		return nil, fmt.Errorf("invalid -size `%s'; give a number with an optional + or - before it and a unit c, w, b, k, M or G after it", value)
	}
	return func(f found) bool { return compare((f.info.Size() + unit - 1) / unit) }, nil
}

func (s *findParser) ageTest(word, value string, unit time.Duration) (findNode, error) {
	n, compare, rest, ok := compared(value)
	if !ok || rest != "" {
		return nil, fmt.Errorf("invalid argument `%s' to `%s'", value, word)
	}
	if unit == time.Minute && value[0] == '-' {
		return func(f found) bool { return s.now.Sub(f.info.ModTime()) < time.Duration(n)*unit }, nil
	}
	return func(f found) bool { return compare(int64(s.now.Sub(f.info.ModTime()) / unit)) }, nil
}

func permTest(value string) (findNode, error) {
	mark := value[:min(1, len(value))]
	if mark == "-" || mark == "/" {
		value = value[1:]
	}
	change, err := parseMode(value)
	if err != nil {
		return nil, fmt.Errorf("invalid mode '%s'", value)
	}
	want := unixMode(change(0, false))
	return func(f found) bool {
		have := unixMode(f.info.Mode())
		switch mark {
		case "-":
			return have&want == want
		case "/":
			return want == 0 || have&want != 0
		}
		return have == want
	}, nil
}

// exec parses the command of -exec up to ";" or "{} +".
func (s *findParser) exec(word string) (findNode, error) {
	action := &execAction{f: s.finder, inDir: word == "-execdir"}
	for {
		if len(s.words) == 0 {
			return nil, fmt.Errorf("missing argument to `%s'", word)
		}
		next := s.take()
		if next == ";" {
			break
		}
		if n := len(action.words); next == "+" && n > 0 && action.words[n-1] == "{}" {
			action.many, action.words = true, action.words[:n-1]
			s.pending = append(s.pending, action)
			break
		}
		action.words = append(action.words, next)
	}
	if len(action.words) == 0 {
		return nil, fmt.Errorf("missing argument to `%s'", word)
	}
	return action.do, nil
}

// fileType returns find's letter for a file type.
func fileType(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "f"
	case mode.IsDir():
		return "d"
	case mode&fs.ModeSymlink != 0:
		return "l"
	case mode&fs.ModeNamedPipe != 0:
		return "p"
	case mode&fs.ModeSocket != 0:
		return "s"
	case mode&fs.ModeCharDevice != 0:
		return "c"
	}
	return "b"
}
