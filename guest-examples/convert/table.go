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

	"github.com/wasmtool/wasmtool/guest-examples/internal/tree"
)

// table reads and writes CSV.
type table struct {
	comma  rune
	header bool // the first line has the names of the columns
	types  bool // cells that are numbers, true, false or null are such
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
		return t, fmt.Errorf("delimiter is %.20q; it must be one character, such as ;", a.Delimiter)
	}
	if format == TSV && r != '\t' {
		return t, errors.New("delimiter is given with tsv, which has tabs; use csv")
	}
	t.comma = r
	return t, nil
}

// read returns a list with an object for each row or, without a header, a list.
func (t table) read(text string) (tree.Value, error) {
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma = t.comma
	rows := tree.Value{Kind: tree.List}
	var names []string
	for cells := 0; ; {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if errors.Is(err, csv.ErrFieldCount) {
			line, _ := reader.FieldPos(0)
			return tree.Value{}, fmt.Errorf("line %d has %d cells, and the lines before have %d", line, len(record), reader.FieldsPerRecord)
		}
		if err != nil {
			return tree.Value{}, err
		}
		if cells += len(record) + 1; cells > tree.MaxValues {
			return tree.Value{}, tree.ErrSize
		}
		if t.header && names == nil {
			names = record
			continue
		}
		row, err := t.row(names, record)
		if err != nil {
			return tree.Value{}, fmt.Errorf("the header: %w", err)
		}
		rows.Items = append(rows.Items, row)
	}
}

func (t table) row(names, record []string) (tree.Value, error) {
	if !t.header {
		list := tree.Value{Kind: tree.List}
		for _, cell := range record {
			list.Items = append(list.Items, t.cell(cell))
		}
		return list, nil
	}
	var object tree.Builder
	for i, cell := range record {
		if err := object.Add(names[i], t.cell(cell)); err != nil {
			return tree.Value{}, err
		}
	}
	return object.Object(), nil
}

func (t table) cell(text string) tree.Value {
	if !t.types {
		return tree.Text(text)
	}
	switch text {
	case "true", "false":
		return tree.Value{Kind: tree.Bool, Text: text}
	case "null", "":
		return tree.Value{}
	}
	if strings.ContainsAny(text[:1], "-0123456789") && json.Valid([]byte(text)) && !strings.ContainsAny(text, " \t\r\n") {
		return tree.Value{Kind: tree.Number, Text: text}
	}
	return tree.Text(text)
}

// write writes a list of objects, whose names make the columns in the order in
// which they first occur, or a list of lists.
func (t table) write(value tree.Value) ([]byte, error) {
	if value.Kind != tree.List {
		return nil, fmt.Errorf("a table is a list of objects or of lists, and this is a %s; take the list out of it first, with the tool json", value.Kind)
	}
	var out bytes.Buffer
	writer := csv.NewWriter(&out)
	writer.Comma = t.comma
	columns, err := columnsOf(value.Items)
	if err != nil {
		return nil, err
	}
	if t.header && len(columns) > 0 {
		if err := writeRecord(writer, &out, columns); err != nil {
			return nil, err
		}
	}
	for _, row := range value.Items {
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

// columnsOf returns the names of the columns; none if the rows are lists.
func columnsOf(rows []tree.Value) ([]string, error) {
	var columns []string
	known := make(map[string]bool)
	for i, row := range rows {
		if row.Kind != tree.List && row.Kind != tree.Object || row.Kind != rows[0].Kind {
			return nil, fmt.Errorf("item %d is a %s and item 1 a %s; all must be objects, or all lists", i+1, row.Kind, rows[0].Kind)
		}
		for _, member := range row.Members {
			if !known[member.Name] {
				known[member.Name] = true
				columns = append(columns, member.Name)
			}
		}
		// A row has a cell for each column, whether it has that member or not.
		if len(columns)*(i+1) > MaxOutput {
			return nil, errTooMuch
		}
	}
	return columns, nil
}

func record(row tree.Value, columns []string) []string {
	var cells []string
	if row.Kind == tree.List {
		for _, item := range row.Items {
			cells = append(cells, cellText(item))
		}
		return cells
	}
	members := make(map[string]tree.Value, len(row.Members))
	for _, member := range row.Members {
		members[member.Name] = member.Value
	}
	for _, name := range columns {
		cells = append(cells, cellText(members[name]))
	}
	return cells
}

// cellText returns the text of a cell: nothing for null, and JSON for lists and
// objects.
func cellText(value tree.Value) string {
	switch value.Kind {
	case tree.Null:
		return ""
	case tree.List, tree.Object:
		return string(tree.JSON{Max: MaxOutput}.Append(nil, value))
	}
	return value.Text
}

// writeRecord writes a line. A line with one empty cell would be an empty line,
// which readers pass over, so the cell gets quotes.
func writeRecord(writer *csv.Writer, out *bytes.Buffer, cells []string) error {
	if len(cells) != 1 || cells[0] != "" {
		return writer.Write(cells)
	}
	writer.Flush()
	out.WriteString("\"\"\n")
	return writer.Error()
}
