// Command canary is the canary in Go. ../README.md describes its input and its report. With
// -buildmode=c-shared it is a reactor.
package main

import (
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	var input [4096]byte
	n, _ := io.ReadFull(os.Stdin, input[:])
	os.Exit(canary(string(input[:n]), func(text []byte) { os.Stdout.Write(text) }))
}

// canary executes the input: "look PAGES", or "plant TOKEN STEP... END". It returns 0, or 1 for a
// failure. Some values of END end the call in another way.
func canary(input string, answer func([]byte)) int {
	words := strings.Split(input, " ")
	if len(words) < 2 {
		return 1
	}
	if words[0] == "look" {
		pages, _ := strconv.Atoi(words[1])
		answer(look(uint32(pages)))
		return 0
	}
	for _, word := range words[2:] {
		if code, ended := endAs(word, answer); ended {
			return code
		}
		if !plant(word, words[1]) {
			return 1
		}
	}
	return 1
}

// endAs ends the call in the way that end names. It returns false for an unknown name.
func endAs(end string, answer func([]byte)) (code int, ended bool) {
	switch end {
	case "return":
		return 0, true
	case "fail":
		return 1, true
	case "exit":
		os.Exit(3)
	case "trap":
		trap()
	case "panic":
		panic(planted)
	case "loop":
		for {
		}
	case "flood":
		for {
			answer([]byte(end))
		}
	case "sleep":
		for {
			time.Sleep(time.Hour)
		}
	}
	return 0, false
}
