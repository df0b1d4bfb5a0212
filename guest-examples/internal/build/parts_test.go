package main

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"reflect"
	"testing"
)

// section returns a section of a module.
func section(id byte, content ...byte) []byte {
	return append(binary.AppendUvarint([]byte{id}, uint64(len(content))), content...)
}

// named returns a module with one imported function and three defined ones, with their names. The
// bodies have 2, 3 and 4 bytes.
func named() (wasm, stripped []byte) {
	stripped = []byte("\x00asm\x01\x00\x00\x00")
	stripped = append(stripped, section(1, 1, 0x60, 0, 0)...)
	stripped = append(stripped, section(2, 1, 1, 'm', 1, 'f', 0, 0)...)
	stripped = append(stripped, section(3, 3, 0, 0, 0)...)
	stripped = append(stripped, section(10, 3, 2, 0, 0x0b, 3, 0, 1, 0x0b, 4, 0, 1, 1, 0x0b)...)
	names := append([]byte{4}, "name"...)
	names = append(names, 0, 2, 1, 'x') // the name of the module
	// the names of functions
	names = append(names, 1, 13, 4, 0, 1, 'i', 1, 1, 'a', 2, 1, 'b', 3, 1, 'c')
	return append(bytes.Clone(stripped), section(0, names...)...), stripped
}

func TestWithParts(t *testing.T) {
	root := t.TempDir()
	wasm, stripped := named()
	got, err := withParts(root, "m", wasm)
	if err != nil || !bytes.Equal(got, stripped) {
		t.Errorf("without a list: %x, %v", got, err)
	}
	put(t, filepath.Join(root, "modules", "m", partsFile), "== early\nc\ngone\n== rare\na\n")
	got, err = withParts(root, "m", wasm)
	content := append([]byte{byte(len(partsSection))}, partsSection...)
	want := append(bytes.Clone(stripped), section(0, append(content, 2, 1, 3, 1, 1)...)...)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %x, %v, want %x", got, err, want)
	}
	for n := range wasm[8:] { // no cut file makes it fail in another way
		if _, err := withParts(root, "m", wasm[:8+n]); err != nil && err != errBrokenModule {
			t.Errorf("%d bytes: %v", 8+n, err)
		}
	}
}

func TestAppendRest(t *testing.T) {
	_, stripped := named()
	sizes, err := functionSizes(stripped)
	if want := map[uint32]int{1: 2, 2: 3, 3: 4}; err != nil || !reflect.DeepEqual(sizes, want) {
		t.Fatalf("got %v, %v, want %v", sizes, err, want)
	}
	large := map[uint32]int{1: restBytes / 2, 2: restBytes / 2, 3: 10, 4: restBytes, 5: 1}
	got := appendRest([][]uint32{{9}}, []uint32{0, 1, 2, 3, 4, 5}, large)
	if want := [][]uint32{{9}, {1, 2}, {3}, {4}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	full := make([][]uint32, maxLists)
	if got := appendRest(full, []uint32{1, 2, 3, 4}, large); len(got) != maxLists {
		t.Errorf("%d lists, want %d", len(got), maxLists)
	}
}

func TestNamesIn(t *testing.T) {
	o := build()
	o.names = map[string]map[uint32]string{"data": {1: "b", 2: "a", 3: "never"}}
	list := o.digest("data") + " 1\n" + o.digest("data") + " 2\n" + o.digest("files") + " 3\n"
	got, err := o.namesIn("data", []byte(list))
	if want := []string{"a", "b"}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if _, err := o.namesIn("data", []byte(o.digest("data")+" x\n")); err == nil {
		t.Error("a broken list was accepted")
	}
}
