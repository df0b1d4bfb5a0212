package child

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkCompile compares compiling in a child with compiling in this process, where other calls
// would run. The large module is the built-in tool that 'make guests' builds.
func BenchmarkCompile(b *testing.B) {
	modules := map[string][]byte{"tiny": tinyModule()}
	if large, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "guest-examples", "tools", "data.wasm")); err == nil {
		modules["large"] = large
	}
	for name, wasm := range modules {
		b.Run(name+"/here", func(b *testing.B) {
			for b.Loop() {
				if err := compileWith(wasm, b.TempDir()); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/child", func(b *testing.B) {
			for b.Loop() {
				if err := Compile(context.Background(), options("engine"), wasm, b.TempDir()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
