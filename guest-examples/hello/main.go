// Command hello is the smallest tool that uses the Go guest SDK. Build it in either form and run
// it:
//
//	GOOS=wasip1 GOARCH=wasm go build -trimpath -o hello.wasm .
//	GOOS=wasip1 GOARCH=wasm go build -trimpath -buildmode=c-shared -o hello.wasm .
//	wasmtool run . name=World
package main

import (
	"context"
	"errors"
	"strings"

	"github.com/wasmtool/wasmtool/guest"
)

type input struct {
	Name  string `json:"name"`
	Times int    `json:"times"`
}

func main() { guest.Run(hello) }

func hello(_ context.Context, in input) (string, error) {
	if strings.TrimSpace(in.Name) == "" {
		return "", errors.New(`the argument "name" is empty; say whom to greet`)
	}
	return strings.Repeat("Hello, "+in.Name+"!\n", max(in.Times, 1)), nil
}
