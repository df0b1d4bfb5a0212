package commands

import (
	"errors"
	"io"
	"strconv"
	"strings"
)

var xargs = spec{
	name: "xargs", synopsis: "[OPTION]... COMMAND [INITIAL-ARGS]...",
	options: "+ 0,null n,max-args: I: i,replace:: r,no-run-if-empty d,delimiter: L,max-lines: l:: P,max-procs: t,verbose s,max-chars: a,arg-file: E: e:: x,exit p,interactive",
	note:    "-P is ignored: commands run one at a time.",
	run:     runXargs,
}

// argumentReader reads the input of xargs.
type argumentReader struct {
	lines     *lineReader
	delimited bool // a given byte ends arguments, and quotes are literal
	whole     bool // set for -I: each line is one argument
	pending   []string
	end       string // an argument that ends the input; "" for none
	ended     bool
}

func runXargs(p *process, o options, words []string) int {
	if len(words) == 0 {
		words = []string{"echo"}
	}
	x := &xargsRun{p: p, words: words, verbose: o.has("t"), exact: o.has("x") && (o.has("n") || o.has("L") || o.has("l")), maximum: 1 << 30, size: maxWords, replace: o.value("I", "")}
	if o.has("i") && x.replace == "" {
		if x.replace = o.value("i", ""); x.replace == "" {
			x.replace = "{}"
		}
	}
	if o.has("p") {
		return p.fail("-p is not supported: there is no terminal; use -t to see the commands")
	}
	perLine := 0
	for _, n := range []struct {
		option string
		target *int
	}{{"n", &x.maximum}, {"L", &perLine}, {"l", &perLine}, {"s", &x.size}} {
		if !o.has(n.option) {
			continue
		}
		value := o.value(n.option, "")
		if n.option == "l" && value == "" {
			value = "1"
		}
		v, err := strconv.Atoi(value)
		if err != nil || v < 1 {
			return p.fail("value %s for -%s option should be >= 1", o.value(n.option, ""), n.option)
		}
		*n.target = v
	}
	in := p.env.Stdin
	if o.has("a") {
		r, err := p.open(o.value("a", ""))
		if err != nil {
			return p.fail("Cannot open input file '%s': %s", o.value("a", ""), message(err))
		}
		defer r.Close()
		in, x.stdin = r, p.env.Stdin
	}
	reader := &argumentReader{lines: newLineReader(in, '\n'), whole: x.replace != "", end: o.value("E", o.value("e", ""))}
	if o.has("0") {
		reader.lines.end, reader.delimited = 0, true
	} else if o.has("d") {
		d, err := delimiterByte(o.value("d", ""))
		if err != nil {
			return p.fail("%v", err)
		}
		reader.lines.end, reader.delimited = d, true
	}
	return x.run(reader, perLine, o.has("r"))
}

func delimiterByte(text string) (byte, error) {
	b, rest := byte(0), ""
	if text != "" {
		b, rest = cutByte(text)
	}
	if text == "" || rest != "" {
		return 0, errors.New("Invalid input delimiter specification " + text + ": the delimiter must be a single character or an escape sequence starting with \\.")
	}
	return b, nil
}

// xargsRun is one run of xargs.
type xargsRun struct {
	p       *process
	words   []string
	stdin   io.Reader
	verbose bool
	replace string
	maximum int // maximum number of arguments of a command
	size    int // maximum total length of those arguments, in bytes
	limit   int // maximum length of the command line, in bytes
	status  int
	exact   bool // a command line that gets too long is an error
	done    bool // a command exited with a status that stops xargs
}

func (x *xargsRun) run(reader *argumentReader, perLine int, notIfEmpty bool) int {
	var batch []string
	size, lines, ran := 0, 0, false
	x.limit = x.size
	if x.size -= length(x.words); x.size < 0 {
		return x.p.fail("cannot fit single argument within argument list size limit")
	}
	for !x.p.stopped() && !x.done {
		argument, lineEnds, err := reader.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return x.p.fail("%v", err)
		}
		if x.replace != "" {
			words := x.replaced(argument)
			if length(words) > x.limit {
				return x.p.fail("argument list too long")
			}
			x.call(words)
			ran = true
			continue
		}
		if len(batch) > 0 && size+len(argument)+1 > x.size {
			if x.exact || perLine > 0 {
				return x.p.fail("argument list too long")
			}
			x.call(append(x.words[:len(x.words):len(x.words)], batch...))
			batch, size, lines, ran = nil, 0, 0, true
		}
		if len(argument)+1 > x.size {
			return x.p.fail("argument line too long")
		}
		batch, size = append(batch, argument), size+len(argument)+1
		if lineEnds {
			lines++
		}
		if len(batch) >= x.maximum || perLine > 0 && lines >= perLine {
			x.call(append(x.words[:len(x.words):len(x.words)], batch...))
			batch, size, lines, ran = nil, 0, 0, true
		}
	}
	if !x.done && (len(batch) > 0 || !ran && !notIfEmpty && x.replace == "") {
		x.call(append(x.words[:len(x.words):len(x.words)], batch...))
	}
	return x.status
}

// length returns the bytes of a command line.
func length(words []string) int {
	n := 0
	for _, word := range words {
		n += len(word) + 1
	}
	return n
}

func (x *xargsRun) replaced(argument string) []string {
	words := make([]string, len(x.words))
	for i, word := range x.words {
		if words[i] = word; i > 0 {
			words[i] = strings.ReplaceAll(word, x.replace, argument)
		}
	}
	return words
}

// call runs the command once and converts its exit status as GNU's xargs does.
func (x *xargsRun) call(words []string) {
	if x.verbose {
		x.p.flush()
		_, _ = io.WriteString(x.p.env.Stderr, strings.Join(words, " ")+"\n")
	}
	stdin := x.stdin
	if stdin == nil {
		// give the command no input, because stdin contains the arguments
		stdin = strings.NewReader("")
	}
	switch status := x.p.run(x.p.ctx, words, stdin); {
	case status == 0:
	case status == 126 || status == 127:
		x.status, x.done = status, true
	case status == 255:
		x.p.errorf("%s: exited with status 255; aborting", words[0])
		x.status, x.done = 124, true
	case status > 125:
		x.status, x.done = 125, true
	default:
		x.status = 123
	}
}

// next returns the next argument. lineEnds reports whether the argument is the last in its line.
func (r *argumentReader) next() (argument string, lineEnds bool, err error) {
	if r.ended {
		return "", false, io.EOF
	}
	if r.delimited {
		line, _, err := r.lines.next()
		return string(line), true, err
	}
	for len(r.pending) == 0 {
		line, err := r.line()
		if err != nil {
			return "", false, err
		}
		if r.whole {
			if trimmed := strings.TrimLeft(line, " \t\v\f\r"); trimmed != "" {
				if r.ended = r.end != "" && trimmed == r.end; r.ended {
					return "", false, io.EOF
				}
				words, err := splitQuoted(trimmed, false)
				return strings.Join(words, ""), true, err
			}
			continue
		}
		if r.pending, err = splitQuoted(line, true); err != nil {
			return "", false, err
		}
	}
	argument, r.pending = r.pending[0], r.pending[1:]
	if r.ended = r.end != "" && argument == r.end; r.ended {
		return "", false, io.EOF
	}
	return argument, len(r.pending) == 0, nil
}

// line returns the next line. A line that ends with a backslash continues in the following line.
func (r *argumentReader) line() (string, error) {
	text, _, err := r.lines.next()
	line := string(text)
	for err == nil && endsEscaped(line) {
		if text, _, err = r.lines.next(); err == nil {
			line += "\n" + string(text)
		}
		if len(line) > maxLine {
			return "", errLongLine
		}
	}
	if err == io.EOF && line != "" {
		err = nil
	}
	return line, err
}

func endsEscaped(line string) bool {
	n := len(line) - len(strings.TrimRight(line, `\`))
	return n%2 == 1
}

// splitQuoted removes quotation marks and backslashes. If blanks is true, it splits the line at
// unquoted blanks.
func splitQuoted(line string, blanks bool) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quote := false, byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				word.WriteByte(c)
			}
			continue
		case c == '\'' || c == '"':
			quote, inWord = c, true
			continue
		case c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
		case blanks && (c == ' ' || c == '\t' || c == '\n'):
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
			continue
		default:
			word.WriteByte(c)
		}
		inWord = true
	}
	if quote != 0 {
		name := "single"
		if quote == '"' {
			name = "double"
		}
		return nil, errors.New("unmatched " + name + " quote; by default quotes are special to xargs unless you use the -0 option")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
