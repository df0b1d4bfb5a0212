package main

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// The pictures in docs/images show what the commands print now.
func TestPicturesShowWhatCommandsPrint(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the program script has other flags here")
	}
	testlevel.Program(t, "script")
	dir := t.TempDir()
	if err := makePictures(dir, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, p := range terminalPictures {
		name := p.name + ".svg"
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(filepath.Join(images, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(committed) {
			t.Errorf("docs/images/%s shows something else; run 'make pictures'. The commands print:\n%s", name, got)
		}
	}
}

// A screen shows what a terminal would: styles, lines that are written again, and escaped text.
func TestScreen(t *testing.T) {
	var s screen
	if err := s.write("compiling, 1 s\r\x1b[Ka<b \x1b[31mred\x1b[0m\r\nlong line\rnext\x1b[K\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	svg := s.svg()
	for _, want := range []string{">a&lt;b </text>", `<text class="r" x="47.6" y="27" textLength="25.2">red</text>`, `y="45" textLength="33.6">next</text>`, ` height="64"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	if strings.Contains(svg, "compiling") || strings.Contains(svg, "long") {
		t.Errorf("it shows text that was deleted:\n%s", svg)
	}
	if err := s.write("\x1b[2J"); err == nil {
		t.Error("an unknown sequence is accepted")
	}
}
