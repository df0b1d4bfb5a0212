// Command image decodes an image with golang.org/x/image, scales it and encodes it.
package main

import (
	"bytes"
	"image"

	"github.com/wasmtool/wasmtool/bench/corpus/go/internal/driver"
	"golang.org/x/image/draw"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

func main() { run() }

//go:wasmexport run
func run() {
	source, err := webp.Decode(bytes.NewReader(driver.Load("test.webp")))
	driver.Check(err)
	target := image.NewRGBA(image.Rect(0, 0, 320, 320))
	draw.CatmullRom.Scale(target, target.Bounds(), source, source.Bounds(), draw.Src, nil)
	var out bytes.Buffer
	driver.Check(tiff.Encode(&out, target, &tiff.Options{Compression: tiff.Deflate, Predictor: true}))
	driver.Result(out.Bytes())
}
