//go:build !wasip1

package tools

import "github.com/wasmtool/wasmtool/guest/internal/host"

func call(string, []byte) ([]byte, error) {
	return nil, &host.Error{Kind: "denied", Message: "other tools can only be called inside wasmtool"}
}
