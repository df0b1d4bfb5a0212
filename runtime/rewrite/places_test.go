package rewrite

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// offsetOptions are options that change much of the code.
var offsetOptions = Options{Meter: true, Checkpoint: true, SplitSelects: true, Offsets: true, AnyEffort: true}

// Every instruction of a module that the rewriter copies has the place of the original.
func TestOriginalsFindEachInstruction(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "guest-examples", "*", "*.wasm"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %v, %v", files, err)
	}
	files = append(files[:testlevel.Size(1, len(files))], filepath.Join("..", "..", "testdata", "debugging", "average.wasm"))
	for _, file := range files {
		wasm, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, s, failed := prepare(wasm, offsetOptions.withDefaults())
		if failed != nil {
			t.Fatal(failed)
		}
		trail := &trail{}
		out, code, failed := m.write(offsetOptions.withDefaults(), s, trail)
		if failed != nil {
			t.Fatal(failed)
		}
		copies := 0
		for _, run := range trail.runs {
			if !bytes.Equal(out[run.to:run.to+run.n], wasm[run.from:run.from+run.n]) {
				t.Fatalf("%s: the code at %d is not from %d", file, run.to, run.from)
			}
			copies += run.n
		}
		if copies < len(wasm)/10 {
			t.Errorf("%s: only %d bytes of code were copied", file, copies)
		}
		// The place of a function, and of the instruction after its locals.
		for i := range m.codes {
			index := uint32(m.importedFuncs + i)
			got, err := Originals(wasm, offsetOptions, []Place{{Function: index + code.shift}})
			if err != nil || len(got) != 1 || got[0] != (Place{Function: index}) {
				t.Fatalf("%s: function %d: %v, %v", file, index, got, err)
			}
			if i > 3 {
				break
			}
		}
	}
}

func TestOriginalsLeaveOutWhatRewriteAdded(t *testing.T) {
	wasm, err := os.ReadFile(filepath.Join("..", "..", "testdata", "debugging", "average.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	report, err := Inspect(wasm)
	if err != nil {
		t.Fatal(err)
	}
	imports, all := uint32(len(report.Imports)), uint32(len(report.Imports)+report.Functions)
	got, err := Originals(wasm, offsetOptions, []Place{
		{Function: 0},                                                       // an import
		{Function: imports}, {Function: imports + importsOfCheckpoints - 1}, // imports of the meter
		{Function: all + importsOfCheckpoints}, // an added function
		{Function: 1 << 31, Offset: 1 << 31},
	})
	if err != nil || len(got) != 1 || got[0] != (Place{}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// The engine gets DWARF only if the module has line tables, and never the module's own.
func TestOffsetsReplaceTheSectionsOfTheModule(t *testing.T) {
	wasm, err := os.ReadFile(filepath.Join("..", "..", "testdata", "debugging", "average.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	for _, offsets := range []bool{false, true} {
		o := offsetOptions
		o.Offsets = offsets
		out, _, err := Rewrite(wasm, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(out, []byte(".debug_line")); got != offsets {
			t.Errorf("Offsets = %v: the output has line tables: %v", offsets, got)
		}
		if bytes.Contains(out, []byte("average.c")) || bytes.Contains(out, []byte("divide")) {
			t.Error("the output has names or lines of the input")
		}
	}
}
