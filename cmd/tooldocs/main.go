// Command tooldocs generates docs/tools: a page for each built-in tool, made from its manifest, and
// an index. It also makes the pictures of terminals in docs/images. It is a module of its own,
// because only this repository needs it. Run it in its directory:
//
//	go run .            # write the pages
//	go run . -check     # only compare the pages
//	go run . -pictures  # run the commands of the pictures, and write them
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
	"os/exec"
	"path/filepath"

	"github.com/wasmtool/wasmtool/registry/standard"
)

// The paths of the generated pages and pictures, relative to the directory of this program.
const (
	directory = "../../docs/tools"
	images    = "../../docs/images"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("tooldocs", flag.ContinueOnError)
	flags.SetOutput(stderr)
	check := flags.Bool("check", false, "compare the generated pages with the existing pages, and write nothing")
	draw := flags.Bool("pictures", false, "write the pictures of terminals, and no pages; needs Linux")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil || flags.NArg() > 0:
		fmt.Fprintln(stderr, "tooldocs: usage: go run . [-check | -pictures]")
		return 2
	}
	generate := func() error { return makePages(directory, *check, stdout) }
	if *draw {
		generate = func() error { return makePictures(images, stdout) }
	}
	if err := generate(); err != nil {
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

func makePictures(dir string, stdout io.Writer) error {
	program, err := os.MkdirTemp("", "tooldocs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(program)
	build := exec.Command("go", "build", "-o", program, "./cmd/wasmtool")
	build.Dir = filepath.Join("..", "..")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, text)
	}
	for _, p := range terminalPictures {
		svg, err := p.draw(program, filepath.Join(program, "cache"))
		if err != nil {
			return err
		}
		path := filepath.Join(dir, p.name+".svg")
		if err := os.WriteFile(path, []byte(svg), 0o666); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "wrote %s\n", filepath.ToSlash(path))
	}
	return nil
}
