// Command build compiles the modules of the built-in tools and writes their digests into the
// manifests. It copies both to registry/builtins of the main module, which embeds them. Run it in
// guest-examples:
//
//	go run ./internal/build              # build and write
//	go run ./internal/build -check       # build and compare, change nothing
//	go run ./internal/build -parts [MODULE...]
//	                                     # find the functions that are compiled first
//	go run ./internal/build -test ARGS   # go test ARGS, with the patched libraries
//
// The exit code is 0, 1 if the check found a difference or a step failed, or 2 if the command
// line is invalid.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "-test" {
		if err := test(ctx, ".", args[1:], stdout, stderr); err != nil {
			fmt.Fprintln(stderr, "build:", err)
			return 1
		}
		return 0
	}
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	flags.SetOutput(stderr)
	check := flags.Bool("check", false, "compare with the existing files instead of writing them")
	parts := flags.Bool("parts", false, "run the examples, and write the functions that ran into modules/*/parts.txt; then build once more")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil || flags.NArg() > 0 && !*parts:
		fmt.Fprintln(stderr, "build: usage: go run ./internal/build [-check | -parts [MODULE...] | -test ARGS]")
		return 2
	}
	work := func() error { return buildAll(ctx, *check, stdout) }
	if *parts {
		work = func() error { return writeParts(ctx, ".", flags.Args(), stdout) }
	}
	if err := work(); err != nil {
		fmt.Fprintln(stderr, "build:", err)
		return 1
	}
	return 0
}

func buildAll(ctx context.Context, check bool, stdout io.Writer) error {
	out, err := compile(ctx, ".")
	if err != nil {
		return err
	}
	files, err := out.files(".")
	if err != nil {
		return err
	}
	if check {
		return compare(files, ".", out.goVersion, stdout)
	}
	return write(files, ".", stdout)
}
