// Command tooldocs generates docs/tools: a page for each built-in tool, made from its manifest, and
// an index. It is a module of its own, because only this repository needs it. Run it in its
// directory:
//
//	go run .          # write the pages
//	go run . -check   # only compare the pages
//
// The exit code is 0, 1 if the check found a difference or a step failed, or 2 if the
// command line is wrong.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/wasmtool/wasmtool/registry/standard"
)

// directory is the path of the generated pages, relative to the directory of this program.
const directory = "../../docs/tools"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("tooldocs", flag.ContinueOnError)
	flags.SetOutput(stderr)
	check := flags.Bool("check", false, "compare the generated pages with the existing pages, and write nothing")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil || flags.NArg() > 0:
		fmt.Fprintln(stderr, "tooldocs: usage: go run . [-check]")
		return 2
	}
	if err := makePages(directory, *check, stdout); err != nil {
		fmt.Fprintln(stderr, "tooldocs:", err)
		return 1
	}
	return 0
}

func makePages(dir string, check bool, stdout io.Writer) error {
	loaded, err := standard.Manifests(standard.Options{})
	if err != nil {
		return err
	}
	pages, err := pagesOf(loaded)
	if err != nil {
		return err
	}
	if check {
		return pages.compare(dir, stdout)
	}
	return pages.write(dir, stdout)
}
