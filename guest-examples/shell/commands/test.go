package commands

import (
	"errors"
	"io/fs"
	"math/big"
	"os"
	"slices"
	"strings"
)

var testSpec = spec{name: "test", synopsis: "EXPRESSION", options: rawArguments, run: runTest}

var bracket = spec{
	name: "[", synopsis: "EXPRESSION ]", options: rawArguments,
	run: func(p *process, o options, words []string) int {
		if len(words) == 0 || words[len(words)-1] != "]" {
			p.errorf("missing ']'")
			return 2
		}
		return runTest(p, o, words[:len(words)-1])
	},
}

func runTest(p *process, _ options, words []string) int {
	t := &tester{p: p, words: words, long: len(words) > 2}
	if len(words) == 0 {
		return 1
	}
	holds, err := t.either()
	if err == nil && len(t.words) > 0 {
		err = errors.New("extra argument '" + t.words[0] + "'")
	}
	switch {
	case err != nil:
		p.errorf("%v", err)
		return 2
	case holds:
		return 0
	}
	return 1
}

// tester evaluates an expression of test.
type tester struct {
	p     *process
	words []string
	depth int
	// long is set if there are more than two words. Otherwise a lone operator is a string.
	long bool
}

func (t *tester) either() (bool, error) {
	holds, err := t.both()
	for err == nil && len(t.words) > 0 && t.words[0] == "-o" {
		t.words = t.words[1:]
		var right bool
		right, err = t.both()
		holds = holds || right
	}
	return holds, err
}

func (t *tester) both() (bool, error) {
	holds, err := t.not()
	for err == nil && len(t.words) > 0 && t.words[0] == "-a" {
		t.words = t.words[1:]
		var right bool
		right, err = t.not()
		holds = holds && right
	}
	return holds, err
}

func (t *tester) not() (bool, error) {
	if t.depth++; t.depth > maxNesting {
		return false, errors.New("the expression is nested too deeply")
	}
	defer func() { t.depth-- }()
	if len(t.words) > 1 && t.words[0] == "!" && !(len(t.words) == 3 && isComparison(t.words[1])) {
		t.words = t.words[1:]
		holds, err := t.not()
		return !holds, err
	}
	return t.primary()
}

func isComparison(word string) bool {
	return slices.Contains([]string{"=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"}, word)
}

func (t *tester) primary() (bool, error) {
	w := t.words
	switch {
	case len(w) == 0:
		return false, errors.New("missing argument")
	case len(w) >= 3 && isComparison(w[1]):
		t.words = w[3:]
		return t.compare(w[0], w[1], w[2])
	case w[0] == "(" && len(w) > 2:
		t.words = w[1:]
		holds, err := t.either()
		if err == nil && (len(t.words) == 0 || t.words[0] != ")") {
			err = errors.New("')' expected")
		}
		if err == nil {
			t.words = t.words[1:]
		}
		return holds, err
	case t.long && len(w) == 1 && (w[0] == "!" || len(w[0]) == 2 && w[0][0] == '-' && t.isUnary(w[0][1])):
		return false, errors.New("missing argument after '" + w[0] + "'")
	case len(w) >= 2 && len(w[0]) == 2 && w[0][0] == '-':
		if holds, ok := t.unary(w[0][1], w[1]); ok {
			t.words = w[2:]
			return holds, nil
		}
		return false, errors.New("'" + w[0] + "': unary operator expected")
	}
	t.words = w[1:]
	return w[0] != "", nil
}

// isUnary reports whether the letter is an operator with one operand.
func (t *tester) isUnary(operator byte) bool {
	_, ok := t.unary(operator, "")
	return ok
}

// unary evaluates an operator with one operand. ok is false if the operator is unknown.
func (t *tester) unary(operator byte, operand string) (holds, ok bool) {
	switch operator {
	case 'z':
		return operand == "", true
	case 'n':
		return operand != "", true
	case 't':
		return false, true // there is no terminal
	case 'L', 'h':
		info, err := os.Lstat(t.p.path(operand))
		return err == nil && info.Mode()&fs.ModeSymlink != 0, true
	}
	info, err := os.Stat(t.p.path(operand))
	there := err == nil && operand != ""
	switch operator {
	case 'e', 'r', 'w', 'O', 'G':
		return there, true
	case 'f':
		return there && info.Mode().IsRegular(), true
	case 'd':
		return there && info.IsDir(), true
	case 's':
		return there && info.Size() > 0, true
	case 'x':
		return there && (info.IsDir() || info.Mode()&0o111 != 0), true
	case 'p', 'S', 'b', 'c', 'u', 'g', 'k':
		return false, true // there are no sockets, pipes or devices
	}
	return false, false
}

func (t *tester) compare(a, operator, b string) (bool, error) {
	switch operator {
	case "=", "==":
		return a == b, nil
	case "!=":
		return a != b, nil
	case "<":
		return a < b, nil
	case ">":
		return a > b, nil
	case "-nt", "-ot", "-ef":
		return t.compareFiles(a, operator, b), nil
	}
	var numbers [2]*big.Int
	for i, text := range []string{a, b} {
		var ok bool
		if numbers[i], ok = integer(strings.TrimPrefix(strings.Trim(text, " \t\n\v\f\r"), "+")); !ok {
			return false, errors.New("invalid integer '" + text + "'")
		}
	}
	order := numbers[0].Cmp(numbers[1])
	return map[string]bool{"-eq": order == 0, "-ne": order != 0, "-lt": order < 0, "-le": order <= 0, "-gt": order > 0, "-ge": order >= 0}[operator], nil
}

// stat is os.Stat for a name, of which the empty one names no file.
func (t *tester) stat(name string) (fs.FileInfo, error) {
	if name == "" {
		return nil, fs.ErrNotExist
	}
	return os.Stat(t.p.path(name))
}

func (t *tester) compareFiles(a, operator, b string) bool {
	x, errX := t.stat(a)
	y, errY := t.stat(b)
	switch operator {
	case "-ef":
		return errX == nil && errY == nil && os.SameFile(x, y)
	case "-ot":
		x, y, errX, errY = y, x, errY, errX
	}
	return errX == nil && (errY != nil || x.ModTime().After(y.ModTime()))
}
