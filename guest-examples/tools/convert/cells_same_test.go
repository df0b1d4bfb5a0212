package convert

import (
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/testprogram"
)

// readTables is a Python program. It reads an array of CSV texts, and writes an array with the rows
// of each text, or null for an invalid text. Like convert, it skips empty lines.
const readTables = `
import csv, io, json, sys
tables = []
for text in json.load(sys.stdin):
    try:
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        tables.append([row for row in rows if row])
    except csv.Error:
        tables.append(None)
json.dump(tables, sys.stdout)
`

// The cells of random texts are the same as in Python. convert also refuses a quote inside a cell
// without quotes, which Python keeps.
func TestCellsAreTheSameAsInPython(t *testing.T) {
	program := testprogram.Path(t, "python3")
	random := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", "b c", ",", ",", "\n", "\r\n", "\r", "\"", "\"\"", "\"x\"", ",\"y,\r\nz\",", "é"}
	var texts []string
	for range 20_000 {
		var text strings.Builder
		for range random.IntN(12) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		texts = append(texts, text.String())
	}
	input, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "-c", readTables)
	command.Stdin = strings.NewReader(string(input))
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var tables [][][]string
	if err := json.Unmarshal(output, &tables); err != nil {
		t.Fatal(err)
	}
	read := 0
	for i, want := range tables {
		got, err := allCells(texts[i])
		switch {
		case err == nil && !reflect.DeepEqual(got, want):
			t.Errorf("%q: got %q, want %q", texts[i], got, want)
		case err != nil && want != nil && !strings.Contains(err.Error(), "a quote is inside a cell"):
			t.Errorf("%q: got the error %v, want %q", texts[i], err, want)
		case err == nil:
			read++
		}
	}
	if read < 5000 {
		t.Errorf("only %d texts were compared", read)
	}
}

func allCells(text string) ([][]string, error) {
	rows := [][]string{}
	reader := newCellReader(text, ',')
	for {
		row, err := reader.next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
}
