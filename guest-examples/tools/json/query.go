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
func query(program string, values [][]byte, indent int, raw bool) ([]byte, error) {
	code, err := compile(program)
	if err != nil {
		return nil, err
	}
	var result []byte
	budget := newBudget(maxSteps)
	for _, value := range values {
		input, err := decode(value)
		if err != nil {
			return nil, err
		}
		results := code.RunWithContext(budget, input)
		for {
			found, ok := results.Next()
			if !ok {
				break
			}
			if err, failed := found.(error); failed {
				var halt *gojq.HaltError
				if errors.As(err, &halt) && halt.Value() == nil {
					return result, nil // the program called halt
				}
				return nil, explain(err)
			}
			if result, err = appendResult(result, found, indent, raw); err != nil {
				return nil, err
			}
		}
	}
	return result, nil
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

func appendResult(result []byte, found any, indent int, raw bool) ([]byte, error) {
	if text, ok := found.(string); ok && raw {
		result = append(result, text...)
	} else {
		c := collector{left: MaxOutput - len(result)}
		value, err := c.value(found, 0)
		if err != nil {
			return nil, err
		}
		result = jsonvalue.Layout{Indent: indent, Max: MaxOutput}.Append(result, value)
	}
	if len(result) > MaxOutput {
		return nil, errTooMuch
	}
	return append(result, '\n'), nil
}

func explain(err error) error {
	if errors.Is(err, errSteps) {
		return err
	}
	return fmt.Errorf("query: %.500w", err)
}
