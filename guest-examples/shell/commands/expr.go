package commands

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

var exprSpec = spec{
	name: "expr", synopsis: "EXPRESSION", options: rawArguments, usage: 2,
	note: "| & < <= = != >= > + - * / % : match substr index length ( )",
	run:  runExpr,
}

func runExpr(p *process, _ options, words []string) int {
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		p.errorf("missing operand")
		return 2
	}
	e := &exprParser{words: words}
	value, err := e.either()
	if err == nil && len(e.words) > 0 {
		err = errors.New("syntax error: unexpected argument '" + e.words[0] + "'")
	}
	if err != nil {
		p.errorf("%v", err)
		if errors.Is(err, errBackreference) {
			return 3
		}
		return 2
	}
	p.print(value + "\n")
	if isNull(value) {
		return 1
	}
	return 0
}

// exprParser evaluates an expression while it parses. It also evaluates operands that the result
// does not need, because evaluation has no side effects.
type exprParser struct {
	words []string
	depth int
	// unused counts the operators around that do not need this operand. Errors in it are ignored.
	unused int
}

func isNull(value string) bool {
	digits := strings.TrimLeft(strings.TrimPrefix(value, "-"), "0")
	return value == "" || digits == "" && value != "-"
}

func (e *exprParser) peek(words ...string) (string, bool) {
	if len(e.words) == 0 {
		return "", false
	}
	for _, word := range words {
		if e.words[0] == word {
			return word, true
		}
	}
	return "", false
}

// binary parses operands that are separated by operators, and applies the operators.
func (e *exprParser) binary(operand func() (string, error), apply func(a, operator, b string) (string, error), operators ...string) (string, error) {
	left, err := operand()
	for err == nil {
		operator, ok := e.peek(operators...)
		if !ok {
			break
		}
		e.words = e.words[1:]
		unused := operator == "|" && !isNull(left) || operator == "&" && isNull(left)
		if unused {
			e.unused++
		}
		var right string
		right, err = operand()
		if unused {
			e.unused--
		}
		if err != nil {
			break
		}
		if left, err = apply(left, operator, right); e.unused > 0 {
			err = nil
		}
	}
	return left, err
}

func (e *exprParser) either() (string, error) {
	return e.binary(e.both, func(a, _, b string) (string, error) {
		if !isNull(a) {
			return a, nil
		}
		if !isNull(b) {
			return b, nil
		}
		return "0", nil
	}, "|")
}

func (e *exprParser) both() (string, error) {
	return e.binary(e.compared, func(a, _, b string) (string, error) {
		if isNull(a) || isNull(b) {
			return "0", nil
		}
		return a, nil
	}, "&")
}

func (e *exprParser) compared() (string, error) {
	return e.binary(e.sum, func(a, operator, b string) (string, error) {
		order := strings.Compare(a, b)
		x, okX := integer(a)
		y, okY := integer(b)
		if okX && okY {
			order = x.Cmp(y)
		}
		holds := map[string]bool{
			"<": order < 0, "<=": order <= 0, "=": order == 0, "==": order == 0, "!=": order != 0, ">=": order >= 0, ">": order > 0,
		}[operator]
		if holds {
			return "1", nil
		}
		return "0", nil
	}, "<", "<=", "=", "==", "!=", ">=", ">")
}

// maxDigits limits the number of digits of a number.
const maxDigits = 10000

func integer(text string) (*big.Int, bool) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || len(digits) > maxDigits || !isNumber(digits) {
		return nil, false
	}
	return new(big.Int).SetString(text, 10)
}

func arithmetic(a, operator, b string) (string, error) {
	x, okX := integer(a)
	y, okY := integer(b)
	if !okX || !okY {
		return "", errors.New("non-integer argument")
	}
	result := new(big.Int)
	switch operator {
	case "+":
		result.Add(x, y)
	case "-":
		result.Sub(x, y)
	case "*":
		result.Mul(x, y)
	default:
		if y.Sign() == 0 {
			return "", errors.New("division by zero")
		}
		if operator == "/" {
			result.Quo(x, y)
		} else {
			result.Rem(x, y)
		}
	}
	return result.String(), nil
}

func (e *exprParser) sum() (string, error) { return e.binary(e.product, arithmetic, "+", "-") }

func (e *exprParser) product() (string, error) {
	return e.binary(e.matched, arithmetic, "*", "/", "%")
}

func (e *exprParser) matched() (string, error) {
	return e.binary(e.primary, func(a, _, b string) (string, error) { return matchStart(a, b) }, ":")
}

// matchStart matches a pattern at the start of a text. It returns the text that the group matched,
// or the length of the match if the pattern has no group.
func matchStart(text, pattern string) (string, error) {
	re, _, err := compilePattern("^"+strings.TrimPrefix(pattern, "^"), basic, "")
	if err != nil {
		return "", err
	}
	m := re.FindSubmatchIndex([]byte(text))
	switch {
	case re.NumSubexp() > 0 && (m == nil || m[2] < 0):
		return "", nil
	case re.NumSubexp() > 0:
		return text[m[2]:m[3]], nil
	case m == nil:
		return "0", nil
	}
	return strconv.Itoa(utf8.RuneCountInString(text[:m[1]])), nil
}

func (e *exprParser) primary() (string, error) {
	if e.depth++; e.depth > maxNesting {
		return "", errors.New("the expression is nested too deeply")
	}
	defer func() { e.depth-- }()
	if len(e.words) == 0 {
		return "", errors.New("syntax error: missing argument at the end")
	}
	word := e.words[0]
	e.words = e.words[1:]
	arguments := map[string]int{"match": 2, "substr": 3, "index": 2, "length": 1}[word]
	switch {
	case word == "(":
		value, err := e.either()
		if err != nil {
			return "", err
		}
		if _, ok := e.peek(")"); !ok {
			return "", errors.New("syntax error: expecting ')'")
		}
		e.words = e.words[1:]
		return value, nil
	case (word == "+" || arguments > 0) && len(e.words) == 0:
		return "", errors.New("syntax error: missing argument after '" + word + "'")
	// After +, the next word is a string, even if it looks like an operator.
	case word == "+":
		word, e.words = e.words[0], e.words[1:]
		return word, nil
	case arguments == 0:
		return word, nil
	}
	values := make([]string, arguments)
	for i := range values {
		var err error
		if values[i], err = e.primary(); err != nil {
			return "", err
		}
	}
	switch word {
	case "match":
		return matchStart(values[0], values[1])
	case "index":
		at := strings.IndexAny(values[0], values[1])
		if at < 0 {
			return "0", nil
		}
		return strconv.Itoa(utf8.RuneCountInString(values[0][:at]) + 1), nil
	case "length":
		return strconv.Itoa(utf8.RuneCountInString(values[0])), nil
	}
	text := []rune(values[0])
	from, err := strconv.Atoi(values[1])
	count, err2 := strconv.Atoi(values[2])
	if err != nil || err2 != nil || from < 1 || from > len(text) || count < 1 {
		return "", nil
	}
	return string(text[from-1 : min(from-1+count, len(text))]), nil
}
