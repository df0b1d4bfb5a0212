package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
)

const (
	// MaxQuery limits the length of a program, in bytes.
	MaxQuery = 10_000
	// maxSteps limits the instructions that a program may execute. This many instructions take a
	// few seconds.
	maxSteps = 3_000_000
	// maxDigits limits the number of digits of a whole number.
	maxDigits = 10_000
)

// query runs the program on each value and returns the results. Each result is on one line. With
// indent it is on several lines.
func query(program string, values [][]byte, indent int, raw bool) (answer, error) {
	code, err := compile(program)
	if err != nil {
		return answer{}, err
	}
	r := results{indent: indent, raw: raw}
	budget := newBudget(maxSteps)
	for _, value := range values {
		input, err := decode(value)
		if err != nil {
			return answer{}, err
		}
		all := code.RunWithContext(budget, input)
		for {
			found, ok := all.Next()
			if !ok {
				break
			}
			if err, failed := found.(error); failed {
				var halt *gojq.HaltError
				if errors.As(err, &halt) && halt.Value() == nil {
					return r.answer(), nil // the program called halt
				}
				return answer{}, explain(err)
			}
			if err := r.add(found); err != nil {
				return answer{}, err
			}
		}
	}
	return r.answer(), nil
}

// compile compiles the program. The program can access only the values, and no environment
// variables, modules or other input.
func compile(program string) (*gojq.Code, error) {
	if program == "" {
		return nil, errors.New(`the argument "query" is missing; give a jq program such as .items[].name`)
	}
	if len(program) > MaxQuery {
		return nil, fmt.Errorf(`the argument "query" has %d bytes; the limit is %d, so use a shorter program`, len(program), MaxQuery)
	}
	parsed, err := gojq.Parse(program)
	var syntax *gojq.ParseError
	if errors.As(err, &syntax) {
		return nil, fmt.Errorf("query, %s: %w", text.Position(program, syntax.Offset-len(syntax.Token)), err)
	}
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	return code, nil
}

// decode decodes the value for gojq: whole numbers exactly, other numbers as float64.
func decode(value []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var input any
	if err := decoder.Decode(&input); err != nil {
		return nil, err
	}
	return withNumbers(input)
}

// withNumbers replaces number literals in value with Go numbers.
func withNumbers(value any) (any, error) {
	var err error
	switch value := value.(type) {
	case json.Number:
		return number(value.String())
	case []any:
		for i := range value {
			if value[i], err = withNumbers(value[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name := range value {
			if value[name], err = withNumbers(value[name]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

func number(literal string) (any, error) {
	if i, err := strconv.Atoi(literal); err == nil {
		return i, nil
	}
	if !strings.ContainsAny(literal, ".eE") && len(literal) <= maxDigits {
		if i, ok := new(big.Int).SetString(literal, 10); ok {
			return i, nil
		}
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return nil, fmt.Errorf("the number %.40s is too large for a query; only format and minify support it", literal)
	}
	return f, nil
}

// maxDetails limits the results that programs get, in bytes of JSON. A model gets all of them.
const maxDetails = 64 << 10

// results are the results of a query: for a model as text, and for programs as values.
type results struct {
	indent int
	raw    bool
	text   []byte
	count  int
	values []any // JSON; not complete if size is more than maxDetails or if hidden
	size   int   // in bytes
	hidden bool  // the host could not read a value
}

// resultDepth is the number of arrays and objects around a value in a result.
const resultDepth = 3

func (r *results) add(found any) error {
	c := collector{left: MaxOutput - len(r.text)}
	value, err := c.value(found, 0)
	if err != nil {
		return err
	}
	if text, ok := found.(string); ok && r.raw {
		r.text = append(r.text, text...)
	} else {
		r.text = jsonvalue.Layout{Indent: r.indent, Max: MaxOutput}.Append(r.text, value)
	}
	if len(r.text) > MaxOutput {
		return errTooMuch
	}
	r.text = append(r.text, '\n')
	r.count++
	r.hidden = r.hidden || value.Readable(resultDepth) != nil
	if r.size <= maxDetails && !r.hidden {
		compact := jsonvalue.Layout{Max: MaxOutput}.Append(nil, value)
		r.size += len(compact)
		r.values = append(r.values, json.RawMessage(compact))
	}
	return nil
}

func (r *results) answer() answer {
	details := map[string]any{"count": r.count}
	if r.size <= maxDetails && !r.hidden {
		details["results"] = append([]any{}, r.values...)
	}
	return answer{r.text, details}
}

func explain(err error) error {
	if errors.Is(err, errSteps) {
		return err
	}
	return fmt.Errorf("query: %.500w", err)
}
