package calculator

import (
	"errors"
	"fmt"
	"strings"
)

// maxDepth limits the nesting of brackets, signs and powers in an expression.
const maxDepth = 200

// parser evaluates an expression while it parses the expression.
type parser struct {
	lexer lexer
	token token // the next token
	depth int
}

// parse returns the value of the expression. If units follow the expression, parse converts the
// value. Its errors are of the type *columnError.
func parse(expression string) (value, error) {
	p := &parser{lexer: lexer{text: []rune(expression)}}
	if err := p.advance(); err != nil {
		return value{}, err
	}
	v, err := p.sum()
	if err != nil {
		return value{}, err
	}
	if unit := p.token; unit.kind == name && isConversion(unit.text, p.rest()) {
		return p.at(unit)(convert(v, p.rest()))
	}
	if p.token.kind != end {
		return value{}, p.unexpected("an operator")
	}
	return v, nil
}

// rest returns the text of the expression that begins at the current token.
func (p *parser) rest() string { return string(p.lexer.text[p.token.column-1:]) }

func (p *parser) advance() error {
	t, err := p.lexer.next()
	p.token = t
	return err
}

// unexpected returns the error for the current token. The string want says what was expected there.
func (p *parser) unexpected(want string) error {
	hint := ""
	switch p.token.kind {
	case number, name, '(':
		hint = "; write * to multiply"
	case ',':
		hint = "; a comma only separates the arguments of a function; use a point as the decimal separator"
	case '.':
		hint = "; a number needs at least one digit"
	}
	return &columnError{p.token.column, fmt.Errorf("found %s, but expected %s%s", p.token, want, hint)}
}

// nested calls inner, and returns an error if calls are nested too deeply.
func (p *parser) nested(inner func() (value, error)) (value, error) {
	if p.depth++; p.depth > maxDepth {
		return value{}, &columnError{p.token.column, fmt.Errorf("the expression has more than %d nested levels; evaluate it in parts", maxDepth)}
	}
	defer func() { p.depth-- }()
	return inner()
}

// sum parses terms joined by + and -.
func (p *parser) sum() (value, error) {
	return p.joined("+-", p.product)
}

// product parses factors joined by *, / and %.
func (p *parser) product() (value, error) {
	return p.joined("*/%", p.signed)
}

// joined parses operands that are separated by the given operators, from left to right.
func (p *parser) joined(operators string, operand func() (value, error)) (value, error) {
	left, err := operand()
	for err == nil && p.token.kind > 0 && strings.ContainsRune(operators, rune(p.token.kind)) {
		left, err = p.binary(left, operand)
	}
	return left, err
}

// binary parses an operator and its right operand, and applies the operator.
func (p *parser) binary(left value, operand func() (value, error)) (value, error) {
	operator := p.token
	if err := p.advance(); err != nil {
		return value{}, err
	}
	if operator.kind == '%' && p.token.kind != number && p.token.kind != name && p.token.kind != '(' {
		// Explain %, because most authors of "50% - 3" mean a percentage and not a remainder.
		return value{}, &columnError{operator.column, errors.New("% is the operator for the remainder and needs a number, name or bracket after it; for a percentage, divide by 100")}
	}
	right, err := operand()
	if err != nil {
		return value{}, err
	}
	return p.at(operator)(apply(operator.kind, left, right))
}

// at returns a function that adds the column of the token t to an error.
func (p *parser) at(t token) func(value, error) (value, error) {
	return func(v value, err error) (value, error) {
		if err != nil {
			return value{}, &columnError{t.column, err}
		}
		return v, nil
	}
}

// signed parses a power after any number of signs; -2^2 is -(2^2).
func (p *parser) signed() (value, error) {
	sign := p.token.kind
	if sign != '-' && sign != '+' {
		return p.power()
	}
	if err := p.advance(); err != nil {
		return value{}, err
	}
	v, err := p.nested(p.signed)
	if err == nil && sign == '-' {
		v = v.negated()
	}
	return v, err
}

// power parses a factor and its exponent; 2^3^2 is 2^(3^2).
func (p *parser) power() (value, error) {
	base, err := p.factor()
	if err != nil || p.token.kind != '^' {
		return base, err
	}
	return p.binary(base, func() (value, error) { return p.nested(p.signed) })
}

// factor parses a number, a name, a function with its arguments, or an expression in brackets.
func (p *parser) factor() (value, error) {
	t := p.token
	switch t.kind {
	case number:
		if err := p.advance(); err != nil {
			return value{}, err
		}
		return p.at(t)(parseNumber(t.text))
	case name:
		return p.named()
	case '(':
		if err := p.advance(); err != nil {
			return value{}, err
		}
		v, err := p.nested(p.sum)
		if err != nil {
			return value{}, err
		}
		return v, p.expect(')')
	}
	return value{}, p.unexpected("a number")
}

// expect skips a token of the kind k. It returns an error for any other token.
func (p *parser) expect(k kind) error {
	if p.token.kind != k {
		return p.unexpected(fmt.Sprintf("%q", rune(k)))
	}
	return p.advance()
}

// named parses a constant or a function with its arguments.
func (p *parser) named() (value, error) {
	t := p.token
	key := strings.ToLower(t.text)
	if err := p.advance(); err != nil {
		return value{}, err
	}
	if constant, ok := constants[key]; ok {
		return constant(), nil
	}
	f, ok := functions[key]
	if !ok {
		return value{}, &columnError{t.column, fmt.Errorf("the name %q is unknown; use one of: %s", t.text, names())}
	}
	if p.token.kind != '(' {
		return value{}, p.unexpected(fmt.Sprintf(`"(" after %s`, key))
	}
	var args []value
	for more := true; more; more = p.token.kind == ',' {
		if err := p.advance(); err != nil {
			return value{}, err
		}
		arg, err := p.nested(p.sum)
		if err != nil {
			return value{}, err
		}
		args = append(args, arg)
	}
	if err := p.expect(')'); err != nil {
		return value{}, err
	}
	if len(args) < f.minimum || len(args) > f.limit {
		return value{}, &columnError{t.column, fmt.Errorf("%s needs %s, not %d", key, f.arity(), len(args))}
	}
	return p.at(t)(f.apply(args))
}
