// Command minify minifies JavaScript and HTML with tdewolff/minify.
package main

import (
	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/html"
	"github.com/tdewolff/minify/v2/js"
	"github.com/wasmtool/wasmtool/bench/corpus/go/internal/driver"
)

func main() { run() }

//go:wasmexport run
func run() {
	m := minify.New()
	m.AddFunc("js", js.Minify)
	m.AddFunc("html", html.Minify)
	var all []byte
	for _, input := range []struct {
		kind string
		text []byte
	}{
		{"js", driver.Load("source.js")},
		{"html", driver.Load("page.html")},
	} {
		out, err := m.Bytes(input.kind, input.text)
		driver.Check(err)
		all = append(all, out...)
	}
	driver.Result(all)
}
