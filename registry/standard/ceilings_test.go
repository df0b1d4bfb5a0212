package standard_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// The operator's ceilings limit the calls of a registry.
func TestCeilings(t *testing.T) {
	const grow = 0x40
	loop := []byte{wasmtest.Loop, wasmtest.Empty, wasmtest.Br, 0, wasmtest.End}
	bomb := wasmtest.Code([]byte{wasmtest.Loop, wasmtest.Empty}, wasmtest.Const(1), []byte{grow, 0}, wasmtest.Const(0),
		[]byte{0x48, 0x45, 0x0d, 0, wasmtest.End, wasmtest.Unreachable}) // until memory.grow fails
	for _, tt := range []struct {
		limit   string
		body    []byte
		runtime runtime.Options
	}{
		{"fuel", loop, runtime.Options{MaxFuel: 100_000}},
		{"memory", bomb, runtime.Options{MaxMemory: 1 << 20}},
		{"total memory", bomb, runtime.Options{MaxTotalMemory: 1 << 20}},
	} {
		t.Run(tt.limit, func(t *testing.T) {
			module := wasmtest.Module{
				Types: []wasmtest.FuncType{{}}, Memory: []uint32{1}, Funcs: []wasmtest.Func{{Body: tt.body}},
				Exports: []wasmtest.Export{{Name: "_start"}, {Name: "memory", Kind: 2}},
			}
			dir := filepath.Join(t.TempDir(), "greedy")
			manifest := "manifest = 1\nname = \"greedy\"\nversion = \"1.0.0\"\ndescription = \"Takes.\"\nmodule.path = \"greedy.wasm\"\n"
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for name, data := range map[string][]byte{"greedy.wasm": module.Bytes(), "tool.toml": []byte(manifest)} {
				if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			tools, err := standard.New(standard.Options{
				Sources: standard.Sources{Tool: dir, NoBuiltins: true},
				NoCache: true,
				Runtime: tt.runtime,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer tools.Close()
			result, err := tools.Execute(context.Background(), tool.Call{Tool: "greedy", Arguments: json.RawMessage("{}")})
			te, ok := err.(*tool.Error)
			if !ok || te.Code != tool.CodeResourceExhausted || te.Details.Limit != tt.limit {
				t.Errorf("got %v", err)
			}
			if result.Call.Fuel == 0 || result.Call.Memory == 0 {
				t.Errorf("the result does not tell what was used: %+v", result.Call)
			}
		})
	}
}
