// Command probe is a guest for the tests of package runtime. Its first argument selects what it does.
package main

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

func main() {
	switch arg(1) {
	case "args":
		fmt.Printf("%q\n", os.Args)
	case "cat":
		_, err := io.Copy(os.Stdout, os.Stdin)
		check(err)
	case "env":
		for _, v := range os.Environ() {
			fmt.Println(v)
		}
	case "exit":
		code, err := strconv.Atoi(arg(2))
		check(err)
		fmt.Fprintln(os.Stderr, "going down")
		os.Exit(code)
	case "flood-stdout":
		for {
			if _, err := os.Stdout.Write(make([]byte, 64<<10)); err != nil {
				os.Exit(0) // ignores the error
			}
		}
	case "flood-stderr":
		for i := range 1000 {
			fmt.Fprintf(os.Stderr, "line %d\n", i)
		}
		os.Exit(3)
	case "sleep":
		d, err := time.ParseDuration(arg(2))
		check(err)
		time.Sleep(d)
		fmt.Println("slept")
	case "loop":
		for {
		}
	case "memory":
		var keep [][]byte
		for {
			keep = append(keep, make([]byte, 1<<20))
			keep[len(keep)-1][0] = 1
		}
	case "garbage":
		count, err := strconv.Atoi(arg(2))
		check(err)
		var last []byte
		for i := range count { // no pause in which the collector could run
			last = make([]byte, 4096+i%64)
		}
		fmt.Println(len(last))
	case "recurse":
		fmt.Println(recurse(0))
	case "panic":
		panic("a secret of the guest")
	case "now":
		fmt.Println(time.Now().UTC().Format(time.RFC3339Nano))
	case "random":
		var b [16]byte
		_, err := rand.Read(b[:])
		check(err)
		fmt.Println(hex.EncodeToString(b[:]))
	case "read":
		b, err := os.ReadFile(arg(2))
		check(err)
		_, err = os.Stdout.Write(b)
		check(err)
	case "ls":
		entries, err := os.ReadDir(arg(2))
		check(err)
		for _, e := range entries {
			fmt.Println(e.Name())
		}
	case "canary":
		// Print what an earlier call left in memory, and then leave something.
		fmt.Println(canary)
		canary = arg(2)
	}
}

var canary = "clean"

func recurse(n int) int {
	var pad [64]int
	pad[n%64] = n
	return recurse(n+1) + pad[(n+1)%64]
}

func arg(i int) string {
	if i < len(os.Args) {
		return os.Args[i]
	}
	return ""
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
