package runtime_test

import (
	"context"
	"fmt"
	"log"

	"github.com/wasmtool/wasmtool/runtime"
)

func ExampleSelfCompiler() {
	compiler := runtime.SelfCompiler() // first in main
	r := runtime.New(runtime.Options{CompileCommand: compiler})
	defer r.Close()
	module, err := r.Load(context.Background(), []byte("\x00asm\x01\x00\x00\x00"))
	if err != nil {
		log.Fatal(err)
	}
	defer module.Close()
	fmt.Println(module.Digest()[:8])
	// Output:
	// 93a44bbb
}
