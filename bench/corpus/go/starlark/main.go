// Command starlark runs the benchmarks of Starlark in Go, an interpreter.
package main

import (
	"fmt"

	"github.com/wasmtool/wasmtool/bench/corpus/go/internal/driver"
	"go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"
)

func main() { run() }

//go:wasmexport run
func run() {
	var thread starlark.Thread
	globals, err := starlark.ExecFileOptions(&syntax.FileOptions{Set: true}, &thread, "benchmark.star",
		driver.Load("benchmark.star"), starlark.StringDict{"json": json.Module})
	driver.Check(err)
	for _, benchmark := range []struct {
		name  string
		times int
	}{
		{"calling", 1},
		{"builtin_method", 5},
		{"bigint", 5},
		{"mix", 20},
		{"dict_equal", 10},
		{"set_equal", 10},
		{"to_json_deep_list", 20},
		{"issubset_duplicate_small_large", 2},
		{"string_startswith", 5000},
	} {
		b := starlarkstruct.FromStringDict(starlark.String("b"), starlark.StringDict{"n": starlark.MakeInt(benchmark.times)})
		_, err := starlark.Call(&thread, globals["bench_"+benchmark.name], starlark.Tuple{b}, nil)
		driver.Check(err)
	}
	driver.Result(fmt.Append(nil, thread.ExecutionSteps()))
}
