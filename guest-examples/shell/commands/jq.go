package commands

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

var jq = spec{
	name: "jq", synopsis: "[OPTION]... FILTER [FILE]...", options: rawArguments, usage: 2,
	note: "options: -c -r -j -a -n -s -e -R -S -f FILE --tab --indent N --arg NAME TEXT --argjson NAME JSON --slurpfile NAME FILE --rawfile NAME FILE --args --jsonargs\n" +
		"Keys are always sorted, and large inputs are streamed one value at a time. Modules and colours are not supported.",
	run: runJq,
}

// Exit statuses of jq.
const (
	jqUsage   = 2
	jqCompile = 3
	jqNothing = 4
	jqFailed  = 5
)

// filter is one run of jq.
type filter struct {
	p                           *process
	compact, raw, joined, ascii bool
	null, slurp, text, exit     bool
	indent                      string
	names                       []string // names of variables
	values                      []any
	positional                  []any
	inputs                      gojq.Iter
	inputName                   any // the name of the current file; nil for stdin
	last                        any
	any                         bool // a value was printed
}

func runJq(p *process, _ options, words []string) int {
	f := &filter{p: p, indent: "  "}
	source, files, err := f.arguments(words)
	if err != nil {
		p.errorf("%v", err)
		return jqUsage
	}
	code, err := f.compile(source)
	if err != nil {
		p.errorf("error: %v", err)
		fmt.Fprintln(p.env.Stderr, "jq: 1 compile error")
		return jqCompile
	}
	status := f.run(code, files)
	if status == 0 && p.status != 0 {
		return jqUsage
	}
	if status == 0 && f.exit {
		switch {
		case !f.any:
			return jqNothing
		case f.last == nil || f.last == false:
			return 1
		}
	}
	return status
}

// arguments parses the command line. Options may follow other arguments, and some options have two
// values.
func (f *filter) arguments(words []string) (source string, files []string, err error) {
	var operands []string
	sourceFile, rest := "", ""
	take := func(option string, n int) ([]string, error) {
		if len(words) < n {
			return nil, fmt.Errorf("--%s needs %d arguments", option, n)
		}
		taken := words[:n]
		words = words[n:]
		return taken, nil
	}
	haveSource := false
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "--":
			operands = append(operands, words...)
			words = nil
		case strings.HasPrefix(word, "--"):
			switch name := word[2:]; name {
			case "args", "jsonargs":
				rest = name
			case "from-file":
				v, err := take(name, 1)
				if err != nil {
					return "", nil, err
				}
				sourceFile = v[0]
			default:
				if err := f.long(name, take); err != nil {
					return "", nil, err
				}
			}
		case len(word) > 1 && word[0] == '-':
			for _, letter := range word[1:] {
				if letter == 'f' {
					v, err := take("from-file", 1)
					if err != nil {
						return "", nil, err
					}
					sourceFile = v[0]
					continue
				}
				if err := f.letter(letter); err != nil {
					return "", nil, err
				}
			}
		case rest != "" && (haveSource || sourceFile != ""):
			value := any(word)
			if rest == "jsonargs" {
				if value, err = decodeJSON(word); err != nil {
					return "", nil, customary("Invalid JSON text passed to --jsonargs: %s", word)
				}
			}
			f.positional = append(f.positional, value)
		default:
			operands = append(operands, word)
			haveSource = true
		}
	}
	if sourceFile != "" {
		data, err := f.p.readFile(sourceFile)
		if err != nil {
			return "", nil, fmt.Errorf("error: Could not open %s: %s", sourceFile, message(err))
		}
		return string(data), operands, nil
	}
	if len(operands) == 0 {
		return "", nil, customary("no filter; usage: jq [OPTION]... FILTER [FILE]...")
	}
	return operands[0], operands[1:], nil
}

func (f *filter) letter(letter rune) error {
	switch letter {
	case 'c':
		f.compact = true
	case 'r':
		f.raw = true
	case 'j':
		f.raw, f.joined = true, true
	case 'a':
		f.ascii = true
	case 'n':
		f.null = true
	case 's':
		f.slurp = true
	case 'R':
		f.text = true
	case 'e':
		f.exit = true
	case 'S', 'M':
		// Ignore these options: keys are always sorted, and the output never has colours.
	case 'C':
		return errors.New("-C is not supported: the output has no colours; omit it")
	default:
		return customary("Unknown arguments: -%c; see jq --help", letter)
	}
	return nil
}

func (f *filter) long(name string, take func(string, int) ([]string, error)) error {
	if letter, ok := map[string]rune{
		"compact-output": 'c', "raw-output": 'r', "join-output": 'j', "ascii-output": 'a', "null-input": 'n', "slurp": 's', "raw-input": 'R',
		"exit-status": 'e', "sort-keys": 'S', "monochrome-output": 'M', "color-output": 'C', "unbuffered": 'S',
	}[name]; ok {
		return f.letter(letter)
	}
	switch name {
	case "tab":
		f.indent = "\t"
	case "indent":
		v, err := take(name, 1)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(v[0])
		if err != nil || n < 0 || n > 7 {
			return errors.New("--indent must be a number from 0 to 7")
		}
		f.indent, f.compact = strings.Repeat(" ", n), f.compact || n == 0
	case "arg", "argjson", "slurpfile", "rawfile":
		v, err := take(name, 2)
		if err != nil {
			return err
		}
		value, err := f.variable(name, v[0], v[1])
		if err != nil {
			return err
		}
		f.names, f.values = append(f.names, "$"+v[0]), append(f.values, value)
	default:
		return customary("Unknown arguments: --%s; see jq --help", name)
	}
	return nil
}

// variable returns the value of the variable that an option such as --argjson sets.
func (f *filter) variable(option, name, text string) (any, error) {
	switch option {
	case "arg":
		return text, nil
	case "argjson":
		value, err := decodeJSON(text)
		if err != nil {
			return nil, customary("Invalid JSON text passed to --argjson: %s", text)
		}
		return value, nil
	}
	data, err := f.p.readFile(text)
	if err != nil {
		return nil, customary("Bad JSON in --%s %s %s: Could not open %s: %s", option, name, text, text, message(err))
	}
	if option == "rawfile" {
		return string(data), nil
	}
	values := []any{}
	decoder := newJSONDecoder(bytes.NewReader(data))
	for {
		var value any
		if err := decoder.Decode(&value); err == io.EOF {
			return values, nil
		} else if err != nil {
			return nil, customary("Bad JSON in --slurpfile %s %s: %v", name, text, err)
		}
		values = append(values, value)
	}
}

func newJSONDecoder(r io.Reader) *json.Decoder {
	d := json.NewDecoder(r)
	d.UseNumber()
	return d
}

// decodeJSON decodes a string that must contain exactly one JSON value.
func decodeJSON(text string) (any, error) {
	d := newJSONDecoder(strings.NewReader(text))
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("the text has more than one JSON value; give exactly one")
	}
	return value, nil
}

func (f *filter) compile(source string) (*gojq.Code, error) {
	query, err := gojq.Parse(withLocations(source))
	if err != nil {
		return nil, err
	}
	named := map[string]any{}
	for i, name := range f.names {
		named[name[1:]] = f.values[i]
	}
	positional := f.positional
	if positional == nil {
		positional = []any{}
	}
	f.names = append(f.names, "$ARGS")
	f.values = append(f.values, map[string]any{"named": named, "positional": positional})
	return gojq.Compile(query, gojq.WithVariables(f.names), gojq.WithEnvironLoader(f.p.env.Environ), gojq.WithInputIter(lateIter{f}),
		gojq.WithFunction("_match", 3, 3, matcher{}.match), gojq.WithFunction("input_filename", 0, 0, func(any, []any) any { return f.inputName }),
		gojq.WithFunction("debug", 0, 0, func(v any, _ []any) any { return f.trace("[\"DEBUG:\",", v, "]\n") }),
		gojq.WithFunction("stderr", 0, 0, func(v any, _ []any) any { return f.trace("", v, "") }))
}

// trace writes a value to stderr, for debug and similar functions, and returns the value.
func (f *filter) trace(before string, value any, after string) any {
	text, err := gojq.Marshal(value)
	if err != nil {
		return err
	}
	f.p.flush()
	fmt.Fprintf(f.p.env.Stderr, "%s%s%s", before, text, after)
	return value
}

// lateIter iterates over the inputs of f. It exists because the inputs are not yet known when the
// filter is compiled.
type lateIter struct{ f *filter }

func (l lateIter) Next() (any, bool) { return l.f.inputs.Next() }

// run runs the filter on all inputs.
func (f *filter) run(code *gojq.Code, files []string) int {
	in := &jqInput{f: f, files: files}
	if len(files) == 0 {
		in.files = []string{"-"}
	}
	defer in.close()
	f.inputs = in
	if f.slurp {
		f.inputs = &jqSlurp{in: in}
	}
	if f.null {
		return f.one(code, nil)
	}
	status := 0
	for !f.p.stopped() {
		value, ok := f.inputs.Next()
		if !ok {
			break
		}
		if err, failed := value.(error); failed {
			f.p.errorf("error (at %s): %v", in.where(), err)
			return jqUsage
		}
		if s := f.one(code, value); s != 0 {
			status = s
		}
	}
	return status
}

// one runs the filter on one input.
func (f *filter) one(code *gojq.Code, input any) int {
	results := code.RunWithContext(&yieldingDone{Context: f.p.ctx}, input, f.values...)
	for !f.p.stopped() {
		value, ok := results.Next()
		if !ok {
			return 0
		}
		if err, failed := value.(error); failed {
			return f.failed(err)
		}
		if err := f.print(value); err != nil {
			f.p.errorf("error: %v", err)
			return jqFailed
		}
	}
	return 0
}

func (f *filter) failed(err error) int {
	var halt *gojq.HaltError
	if f.p.ctx.Err() != nil {
		return interrupted // the time limit is exceeded: print no error
	}
	if !errors.As(err, &halt) {
		f.p.errorf("error: %v", err)
		return jqFailed
	}
	if value := halt.Value(); value != nil {
		f.p.flush()
		if text, ok := value.(string); ok {
			fmt.Fprint(f.p.env.Stderr, text)
		} else if text, err := gojq.Marshal(value); err == nil {
			fmt.Fprintf(f.p.env.Stderr, "%s\n", text)
		}
	}
	return halt.ExitCode()
}

func (f *filter) print(value any) error {
	f.last, f.any = value, true
	if text, ok := value.(string); ok && f.raw {
		f.p.print(text)
	} else {
		text, err := gojq.Marshal(value)
		if err != nil {
			return err
		}
		if f.ascii {
			text = escapeToASCII(text)
		}
		if !f.compact {
			var out bytes.Buffer
			if err := json.Indent(&out, text, "", f.indent); err != nil {
				return err
			}
			text = out.Bytes()
		}
		f.p.write(text)
	}
	if !f.joined {
		f.p.print("\n")
	}
	return nil
}

// escapeToASCII replaces characters that are not ASCII with \u escapes.
func escapeToASCII(text []byte) []byte {
	var out []byte
	for _, r := range string(text) {
		switch {
		case r < 0x80:
			out = append(out, byte(r))
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
