package standard_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/wasmtool/wasmtool/internal/guesttest"
)

func TestMain(m *testing.M) {
	remove, err := guesttest.OwnUserCache()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	remove()
	os.Exit(status)
}
