// Package json implements the built-in tool json, which validates and formats JSON, and queries
// it in the language of jq.
package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/source"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

const (
	// DefaultIndent is the number of spaces by which each level is indented.
	DefaultIndent = 2
	maxIndent     = 8
	// MaxOutput limits the output of a call, in bytes.
	MaxOutput = 4 << 20
)

// Operation is the operation of a call.
type Operation string

// The operations.
const (
	Query    Operation = "query"    // run a jq program on the JSON
	Format   Operation = "format"   // indent the same values over several lines
	Minify   Operation = "minify"   // write the same values without spaces
	Validate Operation = "validate" // check the JSON, and report the position of the first error
)

// Args are the arguments of json.
type Args struct {
	// Operation is the operation; it must not be empty.
	Operation Operation `json:"operation"`
	// Text is the JSON. FilePath is a file that contains the JSON. Only one of them may be set.
	Text     string `json:"text"`
	FilePath string `json:"file_path"`
	// Query is the jq program of the operation Query.
	Query string `json:"query"`
	// Raw makes Query write strings without quotes.
	Raw bool `json:"raw"`
	// Compact makes Query write each result on one line.
	Compact bool `json:"compact"`
	// Indent is the number of spaces for each level, from 1 to 8; 0 means DefaultIndent.
	Indent toolabi.Int `json:"indent"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) {
	switch a.Operation {
	case Query:
		return "Querying JSON", nil
	case Format, Minify:
		return "Formatting JSON", nil
	}
	return "Checking JSON", nil
}

// answer is the result for a model, and what it says for programs.
type answer struct {
	text    []byte
	details map[string]any
}

// Run writes the result to out; FilePath is a file in fsys. The message of an error is written for
// a model.
func Run(fsys fs.FS, args Args, out io.Writer) error {
	if args.Indent == 0 {
		args.Indent = DefaultIndent
	}
	if args.Indent < 0 || args.Indent > maxIndent {
		return fmt.Errorf(`the argument "indent" is %d; it must be from 1 to %d`, args.Indent, maxIndent)
	}
	if args.Query != "" && args.Operation != Query {
		return fmt.Errorf(`the argument "query" is only for the operation "query", but the operation is %q`, args.Operation)
	}
	switch args.Operation {
	case Query, Format, Minify, Validate:
	default:
		return fmt.Errorf(`the argument "operation" is %q; it must be query, format, minify or validate`, args.Operation)
	}
	text, err := source.Read(fsys, args.Text, args.FilePath)
	if err != nil {
		return err
	}
	var result answer
	if args.Operation == Validate {
		if result, err = describe(jsonvalue.ParseText(text)); err != nil {
			return err
		}
		return write(out, result)
	}
	values, err := jsonvalue.Split(text)
	if err != nil {
		return fmt.Errorf("the text is not valid JSON: %w", err)
	}
	switch args.Operation {
	case Query:
		if args.Compact {
			args.Indent = 0
		}
		result, err = query(args.Query, values, int(args.Indent), args.Raw)
	case Format:
		result, err = layOut(values, strings.Repeat(" ", int(args.Indent)))
	default:
		result, err = layOut(values, "")
	}
	if err != nil {
		return err
	}
	return write(out, result)
}

// layOut formats the values. Names, strings and numbers keep their spelling.
func layOut(values [][]byte, indent string) (answer, error) {
	var result bytes.Buffer
	for _, value := range values {
		var err error
		if indent == "" {
			err = json.Compact(&result, value)
		} else {
			err = json.Indent(&result, value, "", indent)
		}
		if err != nil {
			return answer{}, err
		}
		if result.Len() > MaxOutput {
			return answer{}, fmt.Errorf("the result is larger than the limit of %d bytes; set a smaller indent, or query for a part", MaxOutput)
		}
		result.WriteByte('\n')
	}
	return answer{result.Bytes(), map[string]any{"count": len(values)}}, nil
}

// describe reports whether the values are valid. err is the error of parsing them. describe returns
// an error if the JSON is too large to be checked.
func describe(values []jsonvalue.Value, err error) (answer, error) {
	valid := map[string]any{"valid": true, "count": len(values)}
	switch {
	case errors.Is(err, jsonvalue.ErrDepth) || errors.Is(err, jsonvalue.ErrSize):
		return answer{}, err
	case err != nil:
		return answer{fmt.Appendf(nil, "not valid: %v\n", err), map[string]any{"valid": false, "error": err.Error()}}, nil
	case len(values) > 1:
		return answer{fmt.Appendf(nil, "valid: %d values, as in JSON Lines\n", len(values)), valid}, nil
	}
	return answer{fmt.Appendf(nil, "valid: %s\n", summary(values[0])), valid}, nil
}

func summary(value jsonvalue.Value) string {
	switch value.Kind() {
	case jsonvalue.Array:
		return "array of " + toolabi.Quantity(len(value.Items()), "item")
	case jsonvalue.Object:
		return "object with " + toolabi.Quantity(value.Members().Len(), "member")
	}
	return value.Kind().String()
}

func write(out io.Writer, a answer) error {
	return toolabi.WriteResult(out, toolabi.DetailedResult("", string(a.text), nil, a.details))
}
