package bash

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
)

// reading contains the options of a call of read or mapfile.
type reading struct {
	raw   bool
	array string
	// delimiter is the character that ends each line of the input.
	delimiter string
	// count limits the characters or lines to read; -1 means no limit.
	count int
	// exact makes read return only after count characters and ignore the delimiter.
	exact bool
	// descriptor is the number of the descriptor to read from.
	descriptor string
	names      []string
}

// readLine implements the shell builtin "read". It reads a line and splits it into variables.
func (s *shell) readLine(ctx context.Context, hc interp.HandlerContext, args []string) error {
	r := reading{delimiter: "\n", count: -1, descriptor: "0"}
	var err error
	if r.names, err = options(args[1:], "rseE", "aduinNtp", r.option); err != nil {
		return misuse(hc, "read", "%v", err)
	}
	for _, name := range append(r.names, r.array) {
		if name != "" && !isVariable(name) {
			return fail(hc, "read", "`%s': not a valid identifier", name)
		}
	}
	in, err := input(ctx, hc, r.descriptor)
	if err != nil {
		return fail(hc, "read", "%v", err)
	}
	source := s.reader(in)
	line, complete, err := r.line(ctx, source)
	s.keep(source)
	if err != nil {
		return fail(hc, "read", "%s", command.Message(err))
	}
	if err := assign(ctx, hc, r.split(hc.Env, line)...); err != nil {
		return err
	}
	if !complete {
		return interp.ExitStatus(1)
	}
	return nil
}

// options parses the options of a builtin and returns the arguments after them. flags are the
// letters of options without a value, and valued the letters of options with a value.
func options(args []string, flags, valued string, set func(letter byte, value string) error) (rest []string, err error) {
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		word := args[0][1:]
		args = args[1:]
		if word == "-" {
			break
		}
		for word != "" {
			letter := word[0]
			word = word[1:]
			value := ""
			switch {
			case strings.IndexByte(flags, letter) >= 0:
			case strings.IndexByte(valued, letter) < 0:
				return nil, fmt.Errorf("-%c: invalid option", letter)
			case word != "":
				value, word = word, ""
			case len(args) == 0:
				return nil, fmt.Errorf("-%c: option requires an argument", letter)
			default:
				value, args = args[0], args[1:]
			}
			if err := set(letter, value); err != nil {
				return nil, err
			}
		}
	}
	return args, nil
}

// option applies an option of read. The options for prompts, time limits and initial text have no
// effect, since the input is not a terminal and never makes read wait.
func (r *reading) option(letter byte, value string) error {
	switch letter {
	case 'r':
		r.raw = true
	case 'a':
		r.array = value
	case 'N':
		r.exact = true
		return r.shared('n', value)
	case 'd', 'n', 'u':
		return r.shared(letter, value)
	}
	return nil
}

// shared applies an option that read and mapfile have in common.
func (r *reading) shared(letter byte, value string) (err error) {
	switch letter {
	case 'd':
		r.delimiter = "\x00"
		if value != "" {
			_, size := utf8.DecodeRuneInString(value)
			r.delimiter = value[:size]
		}
	case 'n':
		r.count, err = number(value)
	case 'u':
		r.descriptor = value
	}
	return err
}

// number parses a nonnegative number.
func number(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s: invalid number", text)
	}
	return n, nil
}

// line reads up to the delimiter. complete is false if the input ended before the delimiter.
func (r *reading) line(ctx context.Context, in *reader) (line string, complete bool, err error) {
	if r.count < 0 && !r.exact && len(r.delimiter) == 1 {
		if text, ok := in.line(r.delimiter[0]); ok && r.plain(text) {
			in.block = in.block[len(text)+1:]
			return string(text), true, nil
		}
	}
	var b strings.Builder
	var last []byte // the bytes read of the last character
	escaped := false
	for n := 0; r.count < 0 || n < r.count; {
		if b.Len() > maxOutput {
			return "", false, errors.New("the line is too long; split it with tr or fold")
		}
		next, ok := in.next()
		if !ok && in.err == nil {
			if ctx.Err() != nil {
				return "", false, ctx.Err()
			}
			continue
		}
		if !ok {
			if err = in.err; errors.Is(err, io.EOF) {
				err = nil
			}
			b.Write(last)
			return b.String(), false, err
		}
		last = append(last, next)
		for len(last) > 0 && utf8.FullRune(last) {
			_, size := utf8.DecodeRune(last)
			c := string(last[:size])
			last = last[size:]
			switch {
			case escaped && c == "\n":
				// A backslash at the end of a line joins it with the next line.
				text := b.String()
				b.Reset()
				b.WriteString(text[:len(text)-1])
				n--
				escaped = false
				continue
			case !escaped && c == r.delimiter && !r.exact:
				return b.String(), true, nil
			case c == "\x00":
				continue // variables can't contain NUL
			}
			b.WriteString(c)
			n++
			escaped = !r.raw && c == "\\" && !escaped
		}
	}
	b.Write(last)
	return b.String(), true, nil
}

// plain reports whether a line contains no character that has a meaning for read.
func (r *reading) plain(line []byte) bool {
	return bytes.IndexByte(line, 0) < 0 && (r.raw || bytes.IndexByte(line, '\\') < 0)
}

// split returns the assignments to variables that read makes for a line.
func (r *reading) split(env expand.Environ, line string) []assignment {
	ifs := " \t\n"
	if v := env.Get("IFS"); v.IsSet() {
		ifs = v.Str
	}
	switch {
	case r.array != "":
		return []assignment{{name: r.array, values: fields(line, ifs, -1, r.raw), array: true}}
	case len(r.names) == 0:
		// Keep the whole line, including blanks at its beginning and its end.
		if !r.raw {
			line = withoutBackslashes(line)
		}
		return []assignment{{name: "REPLY", values: []string{line}}}
	case r.exact:
		return append([]assignment{{name: r.names[0], values: []string{line}}}, blank(r.names[1:])...)
	}
	values := fields(line, ifs, len(r.names), r.raw)
	assignments := make([]assignment, 0, len(r.names))
	for i := range values {
		assignments = append(assignments, assignment{name: r.names[i], values: values[i : i+1]})
	}
	return append(assignments, blank(r.names[len(values):])...)
}

func blank(names []string) []assignment {
	var assignments []assignment
	for _, name := range names {
		assignments = append(assignments, assignment{name: name, values: []string{""}})
	}
	return assignments
}

// withoutBackslashes removes the backslashes that escape characters.
func withoutBackslashes(line string) string {
	var b strings.Builder
	escaped := false
	for i := range len(line) {
		if line[i] == '\\' && !escaped {
			escaped = true
			continue
		}
		b.WriteByte(line[i])
		escaped = false
	}
	return b.String()
}
