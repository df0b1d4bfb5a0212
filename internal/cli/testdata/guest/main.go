// Command guest does what its first argument says, for the tests of the command
// line.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
)

func main() {
	args := append(os.Args, "", "", "")
	switch args[1] {
	case "cat":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "args":
		fmt.Printf("%q\n", os.Args)
	case "env":
		for _, v := range os.Environ() {
			fmt.Println(v)
		}
	case "fail":
		fmt.Println("half an answer")
		fmt.Fprintln(os.Stderr, "the disk\x1b[2J is on fire")
		code, _ := strconv.Atoi(args[2])
		os.Exit(code)
	case "loop":
		for {
		}
	case "memory":
		var keep [][]byte
		for {
			keep = append(keep, make([]byte, 1<<20))
		}
	case "print":
		// Takes what a manifest writes as \x1b and \xff, which TOML can't hold.
		text, err := strconv.Unquote(`"` + args[2] + `"`)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Print(text)
	case "flood":
		for {
			fmt.Println("more and more and more and more")
		}
	case "read":
		b, err := os.ReadFile(args[2])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		_, _ = os.Stdout.Write(b)
	}
}
