// Command chroma highlights a program in C with chroma.
package main

import (
	"bytes"

	"github.com/alecthomas/chroma/v2/quick"
	"github.com/wasmtool/wasmtool/bench/corpus/go/internal/driver"
)

func main() { run() }

//go:wasmexport run
func run() {
	var html bytes.Buffer
	driver.Check(quick.Highlight(&html, string(driver.Load("source.c")[:8_000]), "c", "html", "github"))
	driver.Result(html.Bytes())
}
