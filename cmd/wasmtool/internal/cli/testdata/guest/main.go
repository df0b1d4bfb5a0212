// Command guest is the guest for the tests of the command line. Its first argument selects the
// action.
package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"
	"unsafe"
)

//go:wasmimport wasmtool_v1 log
//go:noescape
func hostLog(level uint32, ptr *byte, size uint32) uint32

//go:wasmimport wasmtool_v1 progress
//go:noescape
func hostProgress(done, total float64, ptr *byte, size uint32) uint32

//go:wasmimport wasmtool_v1 kv_put
//go:noescape
func kvPut(key *byte, keySize uint32, value *byte, valueSize uint32) int32

//go:wasmimport wasmtool_v1 kv_delete
//go:noescape
func kvDelete(key *byte, keySize uint32) int32

func main() {
	args := append(os.Args, "", "", "")
	switch args[1] {
	case "log":
		for level, text := range []string{"fine", "going on", "odd\x1b[2J\nnext: error: line", "wrong"} {
			hostLog(uint32(level), unsafe.StringData(text), uint32(len(text)))
		}
		text := "half"
		hostProgress(1, 2, unsafe.StringData(text), uint32(len(text)))
		fmt.Println("done")
	case "cat":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "args":
		fmt.Printf("%q\n", os.Args)
	case "env":
		for _, v := range os.Environ() {
			fmt.Println(v)
		}
	case "clock":
		if time.Now().Year() > 2022 {
			fmt.Println("the real time")
		} else {
			fmt.Println("a fixed time")
		}
	case "random":
		var b [8]byte
		_, err := rand.Read(b[:])
		check(err)
		fmt.Printf("%x\n", b)
	case "put": // KEY VALUE; deletes the key "old"
		code := kvPut(unsafe.StringData(args[2]), uint32(len(args[2])), unsafe.StringData(args[3]), uint32(len(args[3])))
		fmt.Println(code, kvDelete(unsafe.StringData("old"), 3))
	case "fail":
		fmt.Println("half an answer")
		fmt.Fprintln(os.Stderr, "the disk\x1b[2J is on fire")
		code, _ := strconv.Atoi(args[2])
		os.Exit(code)
	case "complain":
		fmt.Fprintln(os.Stderr, "the disk\x1b[2J is slow")
		if args[2] == "loop" {
			for {
			}
		}
		fmt.Println("done")
	case "crash":
		var numbers []int
		fmt.Println(average(numbers))
	case "fail-silently":
		fmt.Println("no such file: a.txt")
		os.Exit(1)
	case "loop":
		for {
		}
	case "memory":
		var keep [][]byte
		for {
			keep = append(keep, make([]byte, 1<<20))
		}
	case "print":
		// Interpret escapes such as \x1b and \xff, because TOML cannot contain these bytes.
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
		check(err)
		_, _ = os.Stdout.Write(b)
	case "write":
		check(os.WriteFile(args[2], []byte(args[3]), 0o666))
	case "append":
		f, err := os.OpenFile(args[2], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		check(err)
		_, err = f.WriteString(args[3])
		check(err)
		check(f.Close())
	case "replace":
		// Replace the file atomically, as a tool should, so that no incomplete file is left.
		temp := filepath.Join(filepath.Dir(args[2]), ".wasmtool-tmp-guest")
		check(os.WriteFile(temp, []byte(args[3]), 0o666))
		check(os.Rename(temp, args[2]))
	case "replace-and-loop":
		check(os.WriteFile(filepath.Join(filepath.Dir(args[2]), ".wasmtool-tmp-guest"), []byte("half"), 0o666))
		for {
		}
	case "grow":
		check(os.Truncate(args[2], 1<<40))
	case "mkdir":
		check(os.Mkdir(args[2], 0o777))
	case "rename":
		check(os.Rename(args[2], args[3]))
	case "remove":
		check(os.Remove(args[2]))
	case "symlink":
		check(os.Symlink(args[2], args[3]))
	case "list":
		entries, err := os.ReadDir(args[2])
		check(err)
		for _, e := range entries {
			fmt.Println(e.Name())
		}
	}
}

// check prints an error on standard error and ends the program.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// average has a planted bug, for the tests of debugging.
//
//go:noinline
func average(numbers []int) int {
	sum := 0
	for _, n := range numbers {
		sum += n
	}
	return sum / len(numbers)
}
