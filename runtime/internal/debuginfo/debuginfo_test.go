package debuginfo

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

func fixture(t testing.TB) []byte {
	t.Helper()
	wasm, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "debugging", "average.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

func TestNamesAndLinesOfClang(t *testing.T) {
	wasm := fixture(t)
	all := make(map[uint32]bool)
	for i := range uint32(1000) {
		all[i] = true
	}
	names := Names(wasm, all)
	if want := (map[uint32]string{0: "fd_read", 1: "fd_write", 2: "divide", 3: "average", 4: "_start"}); !reflect.DeepEqual(names, want) {
		t.Errorf("names are %v", names)
	}
	lines := make(map[int]bool)
	for _, p := range Lines(wasm, all) {
		if p.File != "average.c" {
			t.Errorf("a position is in %q", p.File)
		}
		lines[p.Line] = true
	}
	for _, want := range []int{25, 31, 36, 42, 44} {
		if !lines[want] {
			t.Errorf("no instruction is on line %d: %v", want, lines)
		}
	}
}

// table returns a line table of the version with one row, for the instruction at 5.
func table(version byte) []byte {
	program := "\x00\x05\x02\x05\x00\x00\x00" + "\x03\x06" + "\x01" + "\x02\x02" + "\x00\x01\x01"
	head := "\x01" + strings.Repeat("\x01", int(min(max(version, 3)-3, 1))) + "\x01\xfb\x0e\x0d" + "\x00\x01\x01\x01\x01\x00\x00\x00\x01\x00\x00\x01"
	if version < 5 {
		head += "dir\x00\x00" + "a.c\x00\x01\x00\x00" + "\x00"
	} else {
		head += "\x01\x01\x1f\x02\x00\x00\x00\x00\x04\x00\x00\x00" + "\x02\x01\x08\x02\x0b\x02b.c\x00\x01a.c\x00\x01"
	}
	b := []byte{version, 0}
	if version == 5 {
		b = append(b, 4, 0)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(head)))
	b = append(append(b, head...), program...)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
}

func TestLinesOfEachVersion(t *testing.T) {
	for version := byte(2); version <= 6; version++ {
		wasm := wasmtest.Module{Custom: map[string][]byte{".debug_line": table(version), ".debug_line_str": []byte("top\x00dir\x00")}}.Bytes()
		got := Lines(wasm, map[uint32]bool{4: true, 5: true, 6: true, 7: true})
		want := map[uint32]Position{5: {"dir/a.c", 7}, 6: {"dir/a.c", 7}}
		if version == 6 {
			want = map[uint32]Position{}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("version %d: %v", version, got)
		}
	}
}

// Malformed sections give no information, and no work that is out of proportion to their size.
func TestHostileSections(t *testing.T) {
	huge := "\xff\xff\xff\xff\x0f"
	tests := map[string]map[string][]byte{
		"many names":          {"name": []byte("\x01\x08" + huge + "\x00\x01a")},
		"a long name":         {"name": []byte("\x01\x08\x01\x00" + huge + "a")},
		"a name cut short":    {"name": []byte("\x01\x7f\x01")},
		"a long table":        {".debug_line": []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")},
		"a long head":         {".debug_line": []byte("\x08\x00\x00\x00\x04\x00\xff\xff\xff\x7f\x01\x01")},
		"no range of lines":   {".debug_line": append(table(4)[:14], 0)},
		"files without forms": {".debug_line": []byte("\x20\x00\x00\x00\x05\x00\x04\x00\x14\x00\x00\x00\x01\x01\x01\xfb\x0e\x01\x00" + huge + "\x00" + huge + huge)},
	}
	for name, custom := range tests {
		wasm := wasmtest.Module{Custom: custom}.Bytes()
		if names, lines := Names(wasm, map[uint32]bool{1: true}), Lines(wasm, map[uint32]bool{5: true}); len(names)+len(lines) > 0 {
			t.Errorf("%s: %v, %v", name, names, lines)
		}
	}
}

func FuzzDebugInfo(f *testing.F) {
	f.Add(fixture(f))
	for version := byte(2); version <= 5; version++ {
		f.Add(wasmtest.Module{Custom: map[string][]byte{".debug_line": table(version), ".debug_line_str": []byte("top\x00dir\x00")}}.Bytes())
	}
	f.Fuzz(func(t *testing.T, wasm []byte) {
		wanted := map[uint32]bool{0: true, 5: true, 100: true}
		if names, lines := Names(wasm, wanted), Lines(wasm, wanted); len(names) > 3 || len(lines) > 3 {
			t.Errorf("%v, %v", names, lines)
		}
	})
}
