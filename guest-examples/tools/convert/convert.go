// Package convert implements the built-in tool convert, which converts data between JSON, YAML,
// TOML, CSV and TSV.
package convert

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/source"
)

// MaxOutput limits the output of a call, in bytes.
const MaxOutput = 4 << 20

var errTooMuch = fmt.Errorf("the result is larger than %d bytes; convert a part", MaxOutput)

// Format is a data format.
type Format string

// The formats.
const (
	JSON Format = "json"
	YAML Format = "yaml" // according to the core schema of YAML 1.2
	TOML Format = "toml"
	CSV  Format = "csv"
	TSV  Format = "tsv" // CSV with tabs
)

// Args are the arguments of convert.
type Args struct {
	// From is the format of the data; "" means that the extension of the file name determines it.
	From Format `json:"from"`
	// To is the format of the result.
	To Format `json:"to"`
	// Text is the data. FilePath is a file that contains the data. Only one of them may be set.
	Text     string `json:"text"`
	FilePath string `json:"file_path"`
	// NoHeader means that the first line of CSV is data and not a header.
	NoHeader bool `json:"no_header"`
	// Delimiter is the separator of CSV cells; "" means a comma.
	Delimiter string `json:"delimiter"`
	// Types converts CSV cells to numbers, booleans and null where possible.
	Types bool `json:"types"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) {
	return "Converting", nil
}

// Run writes the converted data to out; FilePath is a file in fsys. The message of an error is
// written for a model.
func Run(fsys fs.FS, args Args, out io.Writer) error {
	from, err := args.from()
	if err != nil {
		return err
	}
	write, err := args.writer()
	if err != nil {
		return err
	}
	read, err := args.reader(from)
	if err != nil {
		return err
	}
	text, err := source.Read(fsys, args.Text, args.FilePath)
	if err != nil {
		return err
	}
	value, err := read(text)
	if err != nil {
		return fmt.Errorf("the data is not valid %s: %w", strings.ToUpper(string(from)), err)
	}
	result, err := write(value)
	if err != nil {
		return fmt.Errorf("the data can't be written as %s: %w", strings.ToUpper(string(args.To)), err)
	}
	if len(result) > MaxOutput {
		return errTooMuch
	}
	_, err = out.Write(result)
	return err
}

// from returns the format of the data.
func (a Args) from() (Format, error) {
	if a.From != "" {
		return a.From, nil
	}
	switch end := strings.ToLower(path.Ext(a.FilePath)); end {
	case ".json", ".toml", ".csv", ".tsv", ".yaml":
		return Format(end[1:]), nil
	case ".yml":
		return YAML, nil
	}
	return "", fmt.Errorf(`the argument "from" is missing; give the format of the data: %s`, formats)
}

const formats = "json, yaml, toml, csv or tsv"

func (a Args) reader(from Format) (func(string) (jsonvalue.Value, error), error) {
	switch from {
	case JSON:
		return readJSON, nil
	case YAML:
		return readYAML, nil
	case TOML:
		return readTOML, nil
	case CSV, TSV:
		t, err := a.table(from)
		return t.read, err
	}
	return nil, fmt.Errorf(`the argument "from" is %q; it must be %s`, from, formats)
}

func (a Args) writer() (func(jsonvalue.Value) ([]byte, error), error) {
	switch a.To {
	case JSON:
		return writeJSON, nil
	case YAML:
		return writeYAML, nil
	case TOML:
		return writeTOML, nil
	case CSV, TSV:
		t, err := a.table(a.To)
		return t.write, err
	}
	return nil, fmt.Errorf(`the argument "to" is %q; it must be %s`, a.To, formats)
}

func readJSON(text string) (jsonvalue.Value, error) {
	values, err := jsonvalue.ParseText(text)
	if err != nil {
		return jsonvalue.Value{}, err
	}
	if len(values) == 1 {
		return values[0], nil
	}
	return jsonvalue.NewArray(values), nil // JSON Lines
}

func writeJSON(value jsonvalue.Value) ([]byte, error) {
	return append(jsonvalue.Layout{Indent: 2, Max: MaxOutput}.Append(nil, value), '\n'), nil
}
