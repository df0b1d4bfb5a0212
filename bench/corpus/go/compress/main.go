// Command compress compresses and decompresses a text with zstd and deflate of klauspost/compress.
package main

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
	"github.com/wasmtool/wasmtool/bench/corpus/go/internal/driver"
)

func main() { run() }

//go:wasmexport run
func run() {
	text := driver.Load("countries.json")[:500_000]
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	driver.Check(err)
	packed := encoder.EncodeAll(text, nil)
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	driver.Check(err)
	plain, err := decoder.DecodeAll(packed, nil)
	driver.Check(err)
	decoder.Close()
	var deflated bytes.Buffer
	w, err := flate.NewWriter(&deflated, 6)
	driver.Check(err)
	_, err = w.Write(plain)
	driver.Check(err)
	driver.Check(w.Close())
	packed = append(packed, deflated.Bytes()...)
	plain, err = io.ReadAll(flate.NewReader(&deflated))
	driver.Check(err)
	driver.Result(append(packed, plain...))
}
