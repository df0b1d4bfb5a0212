package secret_test

import (
	"fmt"

	"github.com/wasmtool/wasmtool/guest/secret"
)

func ExampleExists() {
	fmt.Println(secret.Exists("API_TOKEN"))
	// Output:
	// false
}
