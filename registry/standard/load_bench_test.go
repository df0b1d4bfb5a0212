package standard_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/standard"
)

const manyTools = 1000

// folderOfMany returns a directory of many tools.
func folderOfMany(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	for i := range manyTools {
		own := filepath.Join(dir, fmt.Sprint("tool", i))
		if err := os.Mkdir(own, 0o700); err != nil {
			b.Fatal(err)
		}
		manifest := fmt.Sprintf(`manifest = 1
name = "tool%d"
version = "1.0.0"
description = "Looks up the records of department %d by name, kind and date."
tags = ["records", "search"]
aliases = ["records_%d"]
module.path = "m.wasm"

[permissions]
fs = [{ mount = "workspace", mode = "read" }]

[parameters]
type = "object"
required = ["name"]

[parameters.properties.name]
type = "string"
description = "The name, or a part of it."
minLength = 1

[parameters.properties.kind]
type = "string"
enum = ["person", "place", "thing"]

[parameters.properties.limit]
type = "integer"
minimum = 1
maximum = 100
default = 10

[parameters.properties.filters]
type = "array"
items = { type = "object", properties = { key = { type = "string" }, value = { type = "string" } }, required = ["key"] }
`, i, i, i)
		for name, text := range map[string]string{"tool.toml": manifest, "m.wasm": "\x00asm\x01\x00\x00\x00"} {
			if err := os.WriteFile(filepath.Join(own, name), []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	return dir
}

// BenchmarkLook measures one check of a tool directory in which nothing has changed.
func BenchmarkLook(b *testing.B) {
	o := standard.Options{
		Sources:  standard.Sources{Directories: []string{folderOfMany(b)}, NoBuiltins: true},
		NoCache:  true,
		StateDir: b.TempDir(),
	}
	tools, folders, err := standard.Open(o)
	if err != nil {
		b.Fatal(err)
	}
	defer tools.Close()
	reloader := standard.NewReloader(tools, o, config.File{}, os.LookupEnv)
	for b.Loop() {
		if changes := reloader.ReloadDirectories(b.Context(), folders); len(changes) > 0 {
			b.Fatal(changes)
		}
	}
}

// BenchmarkLoad measures a start with a directory of many tools, whose modules are not read.
func BenchmarkLoad(b *testing.B) {
	dir := folderOfMany(b)
	for b.Loop() {
		tools, err := standard.New(standard.Options{
			Sources:  standard.Sources{Directories: []string{dir}, NoBuiltins: true},
			NoCache:  true,
			StateDir: b.TempDir(),
		})
		if err != nil {
			b.Fatal(err)
		}
		if n := len(tools.Tools().List(catalogue.Filter{})); n != manyTools {
			b.Fatalf("loaded %d tools", n)
		}
		if err := tools.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
