// qr-code makes a QR code and returns it as an image.
package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"

	"github.com/wasmtool/wasmtool/guest"
)

type input struct {
	Text  string `json:"text"`
	Form  string `json:"form"`
	Scale int    `json:"scale"`
}

func main() { guest.Run(run) }

func run(_ context.Context, in input) (guest.Result, error) {
	code, err := encode([]byte(in.Text))
	if err != nil {
		return guest.Result{}, err
	}
	title := fmt.Sprintf("QR code with %d x %d modules", len(code), len(code))
	if in.Form == "text" {
		return guest.Result{Title: title, Content: []guest.Content{guest.Text(lines(code))}}, nil
	}
	picture, err := draw(code, in.Scale)
	if err != nil {
		return guest.Result{}, err
	}
	return guest.Result{Title: title, Content: []guest.Content{guest.Image(picture, "image/png"), guest.Text(title)}}, nil
}

// quiet is the width of the empty margin that scanners need, in modules.
const quiet = 4

// dark reports whether a module is dark. The margin is light.
func dark(code [][]bool, x, y int) bool {
	return x >= 0 && y >= 0 && x < len(code) && y < len(code) && code[y][x]
}

func draw(code [][]bool, scale int) ([]byte, error) {
	size := (len(code) + 2*quiet) * scale
	picture := image.NewPaletted(image.Rect(0, 0, size, size), color.Palette{color.White, color.Black})
	for y := range size {
		for x := range size {
			if dark(code, x/scale-quiet, y/scale-quiet) {
				picture.SetColorIndex(x, y, 1)
			}
		}
	}
	var file bytes.Buffer
	err := png.Encode(&file, picture)
	return file.Bytes(), err
}

// lines draws two rows of modules in each line of text, since a character is twice as high as wide.
func lines(code [][]bool) string {
	var b strings.Builder
	blocks := []string{"█", "▄", "▀", " "} // a terminal is dark, so light modules are drawn
	for y := -2; y <= len(code)+1; y += 2 {
		for x := -2; x <= len(code)+1; x++ {
			i := 0
			if dark(code, x, y) {
				i++
			}
			if dark(code, x, y+1) {
				i += 2
			}
			b.WriteString(blocks[i])
		}
		b.WriteByte('\n')
	}
	return b.String()
}
