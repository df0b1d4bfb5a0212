package digest_test

import (
	"fmt"

	"github.com/wasmtool/wasmtool/guest/digest"
)

func ExampleSHA256() {
	fmt.Printf("%x\n", digest.SHA256([]byte("abc")))
	// Output:
	// ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
}
