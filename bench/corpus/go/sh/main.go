// Command sh parses and prints a shell script with mvdan.cc/sh.
package main

import (
	"bytes"

	"github.com/wasmtool/wasmtool/bench/corpus/go/internal/driver"
	"mvdan.cc/sh/v3/syntax"
)

func main() { run() }

//go:wasmexport run
func run() {
	var out bytes.Buffer
	file, err := syntax.NewParser(syntax.KeepComments(true)).Parse(bytes.NewReader(driver.Load("configure")), "configure")
	driver.Check(err)
	syntax.Simplify(file)
	driver.Check(syntax.NewPrinter().Print(&out, file))
	driver.Result(out.Bytes())
}
