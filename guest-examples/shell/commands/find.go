package commands

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/shell/printf"
)

var find = spec{
	name: "find", synopsis: "[-L | -H] [PATH]... [EXPRESSION]", options: rawArguments,
	note: "tests: -name -iname -path -ipath -wholename -regex -iregex -type f|d|l -xtype -size -mtime -mmin -newer -newermt -empty -perm -true -false\n" +
		"actions: -print -print0 -printf -exec ... ; -exec ... + -execdir -delete -prune -quit -ls\n" +
		"options: -maxdepth -mindepth -depth -regextype; operators: ( ) ! -not -a -and -o -or ,\n" +
		"Entries of a directory are visited in the order of their names.",
	run: runFind,
}

// finder is one run of find.
type finder struct {
	p        *process
	root     findNode
	now      time.Time
	least    int
	maximum  int
	rules    walkRules
	quit     bool
	start    string // the current starting point
	pending  []*execAction
	fileKind syntax // of -regex
	pruned   bool
}

// findNode is a part of the expression. It reports whether a file satisfies that part.
type findNode func(f found) bool

func runFind(p *process, _ options, words []string) int {
	f := &finder{p: p, now: time.Now(), maximum: maxDepth, fileKind: basic}
	var starts []string
	for len(words) > 0 {
		word := words[0]
		if len(starts) == 0 && (word == "-L" || word == "-H" || word == "-P") {
			f.rules.follow = map[string]followed{"-L": allLinks, "-H": givenLinks}[word]
			words = words[1:]
			continue
		}
		if word == "(" || word == ")" || word == "!" || word == "," || len(word) > 1 && word[0] == '-' {
			break
		}
		starts, words = append(starts, word), words[1:]
	}
	parser := findParser{finder: f, words: words}
	root, err := parser.parse()
	if err != nil {
		return p.fail("%v", err)
	}
	f.root = root
	if len(starts) == 0 {
		starts = []string{"."}
	}
	for _, start := range starts {
		if f.quit || p.stopped() {
			break
		}
		f.start = start
		p.walk(start, f.rules, f.visit, func(name string, err error) {
			if !f.quit {
				p.errorf("'%s': %s", name, message(err))
			}
		})
	}
	for _, action := range f.pending {
		action.flush()
	}
	return p.status
}

func (f *finder) visit(file found) walkStep {
	if f.quit {
		return skipDirectory
	}
	f.pruned = false
	if file.depth >= f.least && file.depth <= f.maximum {
		f.root(file)
	}
	if f.pruned || f.quit || file.depth >= f.maximum {
		return skipDirectory
	}
	return descend
}

// delete implements -delete.
func (f *finder) delete(file found) bool {
	if file.name == "." || file.path == "/" {
		return true
	}
	if err := os.Remove(file.path); err != nil {
		f.p.errorf("cannot delete '%s': %s", file.name, message(err))
		return false
	}
	return true
}

// list implements -ls.
func (f *finder) list(file found) bool {
	f.p.printf("%9d %6d %s   1 %s %s %8d %s %s\n", 0, (file.info.Size()+1023)/1024, modeText(file.info.Mode()), userName, userName,
		file.info.Size(), listTime(file.info.ModTime(), f.now), file.name)
	return true
}

// execAction implements -exec.
type execAction struct {
	f     *finder
	words []string
	inDir bool
	many  bool // set for {} +: pass as many names as fit in one command line
	names []string
	size  int
	dir   string // directory of the names, for -execdir
}

// maxWords limits the total length of the names in one command line, in bytes.
const maxWords = 128 << 10

func (e *execAction) do(file found) bool {
	name, dir := file.name, e.f.p.env.Dir
	if e.inDir {
		dir = parentOf(file.path)
		name = "./" + baseOf(file.path)
	}
	if e.many {
		if e.size+len(name) > maxWords || e.dir != dir {
			e.flush()
		}
		e.names, e.size, e.dir = append(e.names, name), e.size+len(name), dir
		return true
	}
	words := make([]string, len(e.words))
	for i, word := range e.words {
		words[i] = strings.ReplaceAll(word, "{}", name)
	}
	return e.run(words, dir) == 0
}

func (e *execAction) flush() {
	if len(e.names) == 0 {
		return
	}
	words := append(append([]string(nil), e.words...), e.names...)
	if e.run(words, e.dir) != 0 {
		e.f.p.status = max(e.f.p.status, 1)
	}
	e.names, e.size = nil, 0
}

func (e *execAction) run(words []string, dir string) int {
	p := e.f.p
	if p.flush(); p.outErr != nil {
		return brokenPipe
	}
	inner := *p.env
	inner.Args, inner.Dir = words, dir
	return p.env.Run(p.ctx, words, &inner)
}

func parentOf(name string) string {
	slash := strings.LastIndexByte(name, '/')
	if slash <= 0 {
		return "/"
	}
	return name[:slash]
}

func baseOf(name string) string {
	trimmed := strings.TrimRight(name, "/")
	if trimmed == "" {
		return name[:min(1, len(name))]
	}
	return trimmed[strings.LastIndexByte(trimmed, '/')+1:]
}

// printf implements -printf.
func (f *finder) printf(format string) (findNode, error) {
	type piece func(found) string
	var pieces []piece
	text := func(s string) { pieces = append(pieces, func(found) string { return s }) }
	for i := 0; i < len(format); i++ {
		switch {
		case format[i] == '%' && i+1 < len(format):
			i++
			get, n := f.directive(format[i:])
			if get == nil {
				return nil, fmt.Errorf("-printf supports %%p %%f %%h %%H %%P %%s %%k %%d %%y %%m %%M %%u %%g %%t %%T, not %%%c", format[i])
			}
			pieces = append(pieces, get)
			i += n - 1
		default:
			n := strings.IndexByte(format[i+1:], '%')
			if n < 0 {
				n = len(format) - i - 1
			}
			s, _ := printf.Unescape(format[i:i+1+n], false)
			text(s)
			i += n
		}
	}
	return func(file found) bool {
		for _, piece := range pieces {
			f.p.print(piece(file))
		}
		return true
	}, nil
}

// directive returns the function for the directive after %, and the length of the directive.
func (f *finder) directive(format string) (func(found) string, int) {
	switch format[0] {
	case '%':
		return func(found) string { return "%" }, 1
	case 'p':
		return func(file found) string { return file.name }, 1
	case 'f':
		return func(file found) string { return baseOf(file.name) }, 1
	case 'h':
		return func(file found) string {
			slash := strings.LastIndexByte(file.name, '/')
			if slash < 0 {
				return "."
			}
			return file.name[:slash]
		}, 1
	case 'H':
		return func(found) string { return f.start }, 1
	case 'P':
		return func(file found) string {
			return strings.TrimPrefix(strings.TrimPrefix(file.name, f.start), "/")
		}, 1
	case 's':
		return func(file found) string { return fmt.Sprint(file.info.Size()) }, 1
	case 'k':
		return func(file found) string { return fmt.Sprint((file.info.Size() + 1023) / 1024) }, 1
	case 'd':
		return func(file found) string { return fmt.Sprint(file.depth) }, 1
	case 'y':
		return func(file found) string { return fileType(file.info.Mode()) }, 1
	case 'm':
		return func(file found) string { return fmt.Sprintf("%o", unixMode(file.info.Mode())) }, 1
	case 'M':
		return func(file found) string { return modeText(file.info.Mode()) }, 1
	case 'u', 'g':
		return func(found) string { return userName }, 1
	case 't':
		return func(file found) string {
			return strftime("%a %b %e %H:%M:%S.%N0 %Y", f.p.in(file.info.ModTime()))
		}, 1
	case 'T':
		if len(format) < 2 {
			return nil, 0
		}
		letter := format[1]
		return func(file found) string {
			modified := f.p.in(file.info.ModTime())
			switch letter {
			case '@':
				return fmt.Sprintf("%d.%09d0", modified.Unix(), modified.Nanosecond())
			case 'S':
				return strftime("%S.%N0", modified)
			case 'T', '+':
				return strftime(map[byte]string{'T': "%T.%N0", '+': "%F+%T.%N0"}[letter], modified)
			}
			return strftime("%"+string(rune(letter)), modified)
		}, 2
	}
	return nil, 0
}
