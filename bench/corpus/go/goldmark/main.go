// Command goldmark renders the specification of CommonMark with goldmark.
package main

import (
	"bytes"

	"github.com/wasmtool/wasmtool/bench/corpus/go/internal/driver"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

func main() { run() }

//go:wasmexport run
func run() {
	var html bytes.Buffer
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM))
	driver.Check(markdown.Convert(driver.Load("spec.txt"), &html))
	driver.Result(html.Bytes())
}
