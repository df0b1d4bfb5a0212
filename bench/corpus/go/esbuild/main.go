// Command esbuild parses, lowers and minifies JavaScript with esbuild.
package main

import (
	"errors"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/wasmtool/wasmtool/bench/corpus/go/internal/driver"
)

func main() { run() }

//go:wasmexport run
func run() {
	out := api.Transform(string(driver.Load("source.js")), api.TransformOptions{
		Target: api.ES2015, MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
	})
	for _, m := range out.Errors {
		driver.Check(errors.New(m.Text))
	}
	driver.Result(out.Code)
}
