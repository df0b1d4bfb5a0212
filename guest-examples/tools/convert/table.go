package convert

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// table reads and writes CSV and TSV.
type table struct {
	comma  rune
	header bool // the first line contains the column names
	types  bool // convert cells that contain numbers, true, false or null
}

func (a Args) table(format Format) (table, error) {
	t := table{comma: ',', header: !a.NoHeader, types: a.Types}
	if format == TSV {
		t.comma = '\t'
	}
	if a.Delimiter == "" {
		return t, nil
	}
	r, size := utf8.DecodeRuneInString(a.Delimiter)
	if size != len(a.Delimiter) || r == utf8.RuneError || strings.ContainsRune("\"\r\n\x00", r) {
		return t, fmt.Errorf(`the argument "delimiter" is %.20q; it must be one character, such as ;`, a.Delimiter)
	}
	if format == TSV && r != '\t' {
		return t, errors.New(`the argument "delimiter" has no effect on tsv, which is separated by tabs; use csv, or omit delimiter`)
	}
	t.comma = r
	return t, nil
}

// read returns an array with one object for each row. If there is no header, the rows are arrays.
func (t table) read(text string) (jsonvalue.Value, error) {
	reader := newCellReader(text, t.comma)
	var rows []jsonvalue.Value
	var names []string
	width := 0
	for cells := 0; ; {
		record, err := reader.next()
		if errors.Is(err, io.EOF) {
			return jsonvalue.NewArray(rows), nil
		}
		if err != nil {
			return jsonvalue.Value{}, err
		}
		if width == 0 {
			width = len(record)
		}
		if len(record) != width {
			return jsonvalue.Value{}, fmt.Errorf("line %d has %s, but the lines before it have %d", reader.line, toolabi.Quantity(len(record), "cell"), width)
		}
		if cells += len(record) + 1; cells > jsonvalue.MaxValues {
			return jsonvalue.Value{}, jsonvalue.ErrSize
		}
		if t.header && names == nil {
			names = record
			continue
		}
		row, err := t.row(names, record)
		if err != nil {
			return jsonvalue.Value{}, fmt.Errorf("the header: %w", err)
		}
		rows = append(rows, row)
	}
}

func (t table) row(names, record []string) (jsonvalue.Value, error) {
	if !t.header {
		cells := make([]jsonvalue.Value, 0, len(record))
		for _, cell := range record {
			cells = append(cells, t.cell(cell))
		}
		return jsonvalue.NewArray(cells), nil
	}
	object := &jsonvalue.Members{}
	for i, cell := range record {
		if err := object.Add(names[i], t.cell(cell)); err != nil {
			return jsonvalue.Value{}, err
		}
	}
	return jsonvalue.NewObject(object), nil
}

func (t table) cell(text string) jsonvalue.Value {
	if !t.types {
		return jsonvalue.NewString(text)
	}
	switch text {
	case "true", "false":
		return jsonvalue.NewBool(text == "true")
	case "null", "":
		return jsonvalue.NewNull()
	}
	if strings.ContainsAny(text[:1], "-0123456789") && json.Valid([]byte(text)) && !strings.ContainsAny(text, " \t\r\n") {
		return jsonvalue.NewNumber(text)
	}
	return jsonvalue.NewString(text)
}

// write writes an array of arrays, or an array of objects. The columns are the member names of all
// objects, in the order of their first occurrence.
func (t table) write(value jsonvalue.Value) ([]byte, error) {
	if value.Kind() != jsonvalue.Array {
		return nil, fmt.Errorf("a table is an array of objects or of arrays, but the data is of type %s; extract an array first, with the tool json", value.Kind())
	}
	var out bytes.Buffer
	writer := csv.NewWriter(&out)
	writer.Comma = t.comma
	columns, err := columnsOf(value.Items())
	if err != nil {
		return nil, err
	}
	if t.header && len(columns) > 0 {
		if err := writeRecord(writer, &out, columns); err != nil {
			return nil, err
		}
	}
	for _, row := range value.Items() {
		if err := writeRecord(writer, &out, record(row, columns)); err != nil {
			return nil, err
		}
		if out.Len() > MaxOutput {
			return nil, errTooMuch
		}
	}
	writer.Flush()
	return out.Bytes(), writer.Error()
}

// columnsOf returns the names of the columns. It returns none if the rows are arrays.
func columnsOf(rows []jsonvalue.Value) ([]string, error) {
	var columns []string
	known := make(map[string]bool)
	for i, row := range rows {
		if row.Kind() != jsonvalue.Array && row.Kind() != jsonvalue.Object || row.Kind() != rows[0].Kind() {
			return nil, fmt.Errorf("item %d is of type %s, but the first is of type %s; all must be objects, or all arrays", i+1, row.Kind(), rows[0].Kind())
		}
		for name := range row.Members().All() {
			if !known[name] {
				known[name] = true
				columns = append(columns, name)
			}
		}
		// The output has a cell for each row and column, even for missing members.
		if len(columns)*(i+1) > MaxOutput {
			return nil, errTooMuch
		}
	}
	return columns, nil
}

func record(row jsonvalue.Value, columns []string) []string {
	var cells []string
	if row.Kind() == jsonvalue.Array {
		for _, item := range row.Items() {
			cells = append(cells, cellText(item))
		}
		return cells
	}
	members := row.Members()
	for _, name := range columns {
		member, _ := members.Get(name)
		cells = append(cells, cellText(member))
	}
	return cells
}

// cellText returns the content of a cell: "" for null and missing values, and JSON for arrays and
// objects.
func cellText(value jsonvalue.Value) string {
	switch value.Kind() {
	case jsonvalue.Array, jsonvalue.Object:
		return string(jsonvalue.Layout{Max: MaxOutput}.Append(nil, value))
	}
	return value.Text()
}

// writeRecord writes one line. It quotes an empty cell that is alone in its line, because readers
// skip empty lines.
func writeRecord(writer *csv.Writer, out *bytes.Buffer, cells []string) error {
	if len(cells) != 1 || cells[0] != "" {
		return writer.Write(cells)
	}
	writer.Flush()
	out.WriteString("\"\"\n")
	return writer.Error()
}
